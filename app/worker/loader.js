// Starts the solver and hands it the page's messages, in order: `[ask, bytes?, bytes?]`. The handler is set before the wasm is
// there, since a message that arrives earlier would otherwise be lost. A solver that broke down says `[null, why]`.
import init, { open, receive } from "./solver.js";

const broken = (why) => self.postMessage([null, String(why)]);
const ready = init({ module_or_path: new URL("solver_bg.wasm", import.meta.url) }).then(open);
ready.catch(broken);

self.onmessage = async ({ data: [ask, a, b] }) => {
  try {
    await ready;
    receive(ask, a, b);
  } catch (why) {
    broken(why);
  }
};
