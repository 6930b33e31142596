// Starts the solver and hands it the page's messages, one after the other: `[ask, bytes?, bytes?]`. The handler is set before the wasm is
// there, since a message that arrives earlier would otherwise be lost; a message waits while the one before it fetches a part of the solver.
// A solver that broke down says `[null, why]`.
import init, { open, receive } from "./solver.js";

const broken = (why) => self.postMessage([null, String(why)]);
let last = init({ module_or_path: new URL("solver_bg.wasm", import.meta.url) }).then(open).catch(broken);

self.onmessage = ({ data: [ask, a, b] }) => {
  last = last.then(() => receive(ask, a, b)).catch(broken);
};
