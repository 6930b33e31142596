// Helpers: further workers of this script, which compute the shares of a long request. A helper gets the request first, then the number of one
// share after another, and answers each message; `null` says that it failed.
import init, { add_result, begin_shares, finish, solve_share } from "./solver.js";

const HELPER = "helper";

// Helpers that wait until the page is shown.
let waiting = [];

function resume() {
  waiting.splice(0).forEach((proceed) => proceed());
}

// Lets helpers compute all shares of a request, and answers it. The solver computes the shares of a helper that failed.
export async function solve(shares, request) {
  const helpers = request[3];
  let next = 0;
  let computing = 0;
  const help = () =>
    new Promise((resolve) => {
      const worker = new Worker(import.meta.url, { type: "module", name: HELPER });
      let share = -1;
      const end = () => {
        worker.terminate();
        resolve();
        resume();
      };
      const proceed = () => {
        if (next >= shares) {
          end();
        } else if (self.isHidden && computing > 0) {
          // A hidden page uses one core.
          waiting.push(proceed);
        } else {
          share = next++;
          computing++;
          worker.postMessage(share);
        }
      };
      worker.onmessage = ({ data }) => {
        if (share >= 0) computing--;
        if (data === null) return end();
        if (share >= 0) add_result(share, data);
        proceed();
      };
      worker.onerror = (event) => {
        // Otherwise, the page hears of the failure too.
        event.preventDefault();
        if (share >= 0) computing--;
        end();
      };
      try {
        worker.postMessage(request);
      } catch {
        // The copy needs too much memory.
        end();
      }
    });
  await Promise.allSettled(Array.from({ length: Math.min(helpers, shares) }, help));
  finish();
}

if (self.name === HELPER) {
  const ready = init({ module_or_path: new URL("solver_bg.wasm", import.meta.url) });
  const compute = async (message) => {
    await ready;
    return Array.isArray(message) ? begin_shares(...message).then(() => true) : solve_share(message);
  };
  self.onmessage = ({ data }) =>
    compute(data)
      .catch(() => null)
      .then((result) => self.postMessage(result));
} else {
  // The handler of loader.js has noted whether the page is hidden.
  self.addEventListener("message", resume);
}
