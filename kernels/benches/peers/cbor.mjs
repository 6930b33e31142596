// CBOR as the page and the solver exchange it (kernels/src/cbor.rs): numbers, texts, arrays, null, true and false.

const NEGATIVE = 1;
const TEXT = 3;
const ARRAY = 4;

/** A floating-point number. It is a class, because a whole one must be written as it was read. */
class Float extends Number {}

/** The bytes of a value. */
export function write(value) {
  if (value === false) return Buffer.from([0xf4]);
  if (value === true) return Buffer.from([0xf5]);
  if (value === null) return Buffer.from([0xf6]);
  if (typeof value === "string") return Buffer.concat([head(TEXT, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(ARRAY, value.length), ...value.map(write)]);
  if (value instanceof Float) {
    const bytes = Buffer.alloc(9);
    bytes[0] = 0xfb;
    bytes.writeDoubleBE(value, 1);
    return bytes;
  }
  return value < 0 ? head(NEGATIVE, -1 - value) : head(0, value);
}

function head(major, number) {
  if (number < 24) return Buffer.from([(major << 5) | number]);
  const bytes = Buffer.alloc(9);
  bytes[0] = (major << 5) | 27;
  bytes.writeBigUInt64BE(BigInt(number), 1);
  return bytes;
}

/** The value that the bytes begin with. Numbers that JavaScript's are too coarse for are big ones. */
export function read(bytes) {
  const from = Buffer.from(bytes);
  let at = 0;
  function value() {
    const [major, info] = [from[at] >> 5, from[at] & 31];
    at += 1;
    if (major === 7) {
      if (info < 23) return [false, true, null][info - 20];
      at += 8;
      return new Float(from.readDoubleBE(at - 8));
    }
    let number = info;
    if (info >= 24) {
      const length = 1 << (info - 24);
      const large = BigInt(`0x${from.toString("hex", at, at + length)}`);
      number = large > Number.MAX_SAFE_INTEGER ? large : Number(large);
      at += length;
    }
    if (major === ARRAY) return Array.from({ length: number }, value);
    if (major === NEGATIVE) return typeof number === "bigint" ? -1n - number : -1 - number;
    if (major !== TEXT) return number;
    at += number;
    return from.toString("utf8", at - number, at);
  }
  return value();
}
