// Service worker that makes the page of one build work without network. A document comes from the network if that
// responds, so that an old page never meets a new server; otherwise it comes from the cache. Files of a build have its
// hash in their address and never change, so that they always come from the cache. The API and all addresses with data
// of a visitor bypass the cache.

/** Folder of the build's files. The page passes it when it registers this script. */
const BUILD = new URL(location.href).searchParams.get("build");
const CACHE = `editscope ${BUILD}`;

/** Documents that are the same for all texts, which stand behind the `#` and never reach the server. */
const PAGES = ["/", "/sequence-alignment", "/approximate-search", "/lcs", "/match-count", "/exact-search", "/print", "/collections"];

const REST = ["/favicon.svg"];

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(keepAll());
});

addEventListener("activate", (event) => event.waitUntil(takeOver()));

// The visitor has chosen another language or theme, which changes the documents that the server renders.
addEventListener("message", (event) => {
  if (event.data === "documents") event.waitUntil(keepDocuments().catch(() => {}));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname.startsWith(`/${BUILD}/`)) event.respondWith(kept(pathname).then((file) => file ?? fetch(request)));
  else if (PAGES.includes(pathname) && request.mode === "navigate") event.respondWith(newest(request, search === ""));
  else if (REST.includes(pathname)) event.respondWith(fetch(request).catch(async (error) => (await kept(pathname)) ?? Promise.reject(error)));
});

async function keepAll() {
  const cache = await caches.open(CACHE);
  const files = await (await fetch(`/${BUILD}/files.json`)).json();
  // One at a time, so that requests that the visitor waits for come first.
  for (const path of [...files.map((name) => `/${BUILD}/${name}`), ...REST]) await cache.add(path);
  await keepDocuments();
}

/** Caches every document as the server renders it for this visitor now. */
async function keepDocuments() {
  await Promise.all(PAGES.map(async (path) => keep(path, await fetch(path, { headers: { accept: "text/html" } }))));
}

/**
 * Caches a document under its path. Ignores errors and documents of another build, whose files are not cached. Builds a
 * new response from text and headers, because the original contains the requested address, which may hold texts.
 */
async function keep(path, response) {
  if (!response.ok || response.redirected) return;
  const text = await response.text();
  if (!text.includes(`/${BUILD}/`)) return;
  const headers = new Headers(response.headers);
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  await (await caches.open(CACHE)).put(path, new Response(text, { headers }));
}

/** Deletes the caches of other builds, and controls open pages from now on. */
async function takeOver() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
  await clients.claim();
}

function kept(path) {
  return caches.open(CACHE).then((cache) => cache.match(path, { ignoreVary: true }));
}

/**
 * Returns the document from the network, caching it if `keeps`. If the network does not respond, returns the cached
 * document.
 */
async function newest(request, keeps) {
  const { pathname } = new URL(request.url);
  try {
    const response = await fetch(request);
    if (keeps) keep(pathname, response.clone()).catch(() => {});
    return response;
  } catch (error) {
    const copy = await kept(pathname);
    if (copy) return copy;
    throw error;
  }
}
