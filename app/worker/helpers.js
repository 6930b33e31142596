// Helpers: further workers of this script, which compute shares of a long request. A helper gets the request first, and then shares, each with its
// number and details. It answers each share; `null` says that it failed. The solver computes shares too, and hears no helper meanwhile.
import init, { add_result, begin_shares, finish, share_details, solve_share } from "./solver.js";

const HELPER = "helper";

// Gives shares to workers, while a request is divided.
let proceed = () => {};

// Lets messages of helpers arrive.
const turn = () => new Promise((resolve) => setTimeout(resolve));

// Computes all shares of a request together with helpers, and answers it. The solver computes the shares of a helper that failed.
export async function solve(shares, request) {
  const number = request[3];
  const helpers = new Set();
  const used = new Set();
  let next = 0;
  let computing = 0;
  let wake = () => {};

  // A hidden page uses one core.
  const mayCompute = () => next < shares && !(self.isHidden && computing > 0);
  const give = (helper) => {
    // While there are many shares, a helper has one in advance, because it would wait for the solver.
    const most = shares - next > number + 1 ? 2 : 1;
    while (helper.shares.length < most && mayCompute()) {
      const share = next++;
      computing++;
      helper.shares.push(share);
      helper.worker.postMessage([share, share_details(share)]);
    }
  };
  proceed = () => {
    helpers.forEach(give);
    wake();
  };
  const start = () => {
    let worker;
    try {
      worker = new Worker(import.meta.url, { type: "module", name: HELPER });
    } catch {
      // This browser starts no worker from a worker.
      return;
    }
    const helper = { worker, shares: [] };
    const end = () => {
      worker.terminate();
      helpers.delete(helper);
      computing -= helper.shares.splice(0).length;
      proceed();
    };
    worker.onmessage = ({ data }) => {
      if (!helpers.has(helper)) return;
      if (data === null) return end();
      computing--;
      add_result(helper.shares.shift(), data);
      used.add(helper);
      proceed();
    };
    worker.onerror = (event) => {
      // Otherwise, the page hears of the failure too.
      event.preventDefault();
      end();
    };
    try {
      worker.postMessage(request);
      helpers.add(helper);
    } catch {
      // The copy needs too much memory.
      worker.terminate();
    }
  };

  while (shares > 0) {
    for (let count = Math.min(number, shares - 1) - helpers.size; count > 0; count--) start();
    proceed();
    while (next < shares || computing > 0) {
      if (mayCompute()) {
        computing++;
        // Without a result, the solver computes the share.
        add_result(next++);
        computing--;
        await turn();
      } else {
        await new Promise((resolve) => (wake = resolve));
      }
    }
    shares = finish(used.size + 1);
    next = 0;
  }
  proceed = () => {};
  helpers.forEach(({ worker }) => worker.terminate());
}

if (self.name === HELPER) {
  let last = init({ module_or_path: new URL("solver_bg.wasm", import.meta.url) });
  const compute = (share) => {
    last = last.then(() => solve_share(...share)).then((result) => self.postMessage(result));
    last.catch(() => self.postMessage(null));
  };
  self.onmessage = ({ data }) => {
    last = last.then(() => begin_shares(...data));
    last.catch(() => self.postMessage(null));
    self.onmessage = ({ data }) => compute(data);
  };
} else {
  // The handler of loader.js has noted whether the page is hidden.
  self.addEventListener("message", () => proceed());
}
