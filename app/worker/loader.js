// Starts the solver and hands it the page's messages, one after the other: `[ask, bytes?, bytes?]`. The handler is set before the wasm is
// there, since a message that arrives earlier would otherwise be lost; a message waits while the one before it fetches a part of the solver.
// A solver that broke down says `[null, why]`. The worker's name is the number of helpers that it may start (helpers.js). A boolean says whether
// the page is hidden.
import init, { finish, open, receive } from "./solver.js";

// Maximum size of all copies of the texts that helpers get, in bytes.
const MAX_COPIED_BYTES = 2 ** 30;

const broken = (why) => self.postMessage([null, String(why)]);
const answer = async ([ask, a, b]) => {
  const helpers = Math.min(Number(self.name) || 0, Math.floor(MAX_COPIED_BYTES / ((a?.length || 0) + (b?.length || 1))));
  const shares = await receive(ask, a, b, helpers);
  // Without the script of the helpers, this worker computes all shares.
  if (shares) {
    const alone = () => {
      while (finish(1));
    };
    await import("./helpers.js").then(({ solve }) => solve(shares, [ask, a, b, helpers]), alone);
  }
};
let last = init({ module_or_path: new URL("solver_bg.wasm", import.meta.url) }).then(open).catch(broken);

self.onmessage = ({ data }) => {
  if (data.length) last = last.then(() => answer(data)).catch(broken);
  else self.isHidden = data;
};
