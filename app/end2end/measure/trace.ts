// The browser's own trace of what a page does.
import type { CDPSession } from "@playwright/test";

export type Event = { name: string; ph: string; ts: number; dur?: number; tdur?: number; tid: number; pid: number; args?: { name?: string } };

const CATEGORIES = "devtools.timeline,toplevel,disabled-by-default-devtools.timeline.frame,disabled-by-default-devtools.timeline";

/** What happened in the browser while `act` ran. */
export async function traced(session: CDPSession, act: () => Promise<void>): Promise<Event[]> {
  const events: Event[] = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as Event[])));
  const ended = new Promise<void>((resolve) => session.once("Tracing.tracingComplete", () => resolve()));
  await session.send("Tracing.start", { categories: CATEGORIES, transferMode: "ReportEvents" });
  await act();
  await session.send("Tracing.end");
  await ended;
  return events;
}

/** Milliseconds of every task of the page's thread, by the clock and on a processor: a busy machine adds to the first only. The page's
 * thread is the one that runs most functions of those with that name. */
export function tasks(events: Event[]): { main?: Event; times: number[]; worked: number[] } {
  const key = (event: Event) => `${event.pid}/${event.tid}`;
  const named = new Set(events.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain").map(key));
  const calls = new Map<string, number>();
  const drawn = events.filter((event) => ["FunctionCall", "FireAnimationFrame", "UpdateLayoutTree"].includes(event.name) && named.has(key(event)));
  for (const event of drawn) calls.set(key(event), (calls.get(key(event)) ?? 0) + 1);
  const [page] = [...calls].sort(([, x], [, y]) => y - x)[0] ?? [];
  const main = drawn.find((event) => key(event) === page);
  const all = events.filter((event) => event.name === "RunTask" && key(event) === page);
  return { main, times: all.map(({ dur = 0 }) => dur / 1e3), worked: all.map(({ dur = 0, tdur = dur }) => tdur / 1e3) };
}
