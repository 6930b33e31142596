// Keeps the page of one build for times without network. A document comes from the network whenever that answers, so that no old page meets
// a new server; a copy is shown only where nothing answers. Files of a build have its hash in their address and never change: they come from
// here. The API is left alone, and so is every address under which something of a visitor's lies.

/** Folder of the build's files, which the page names when it registers this script. */
const BUILD = new URL(location.href).searchParams.get("build");
const CACHE = `editscope ${BUILD}`;

/** Documents that are the same for all texts: what is compared stands behind the `#`, which no document has. */
const PAGES = ["/", "/approximate-search", "/lcs", "/match-count", "/exact-search", "/print"];

const REST = ["/favicon.svg"];

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(keepAll());
});

addEventListener("activate", (event) => event.waitUntil(takeOver()));

// The visitor has chosen another language or theme, with which the server makes its documents.
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
  // One at a time: what the visitor waits for comes before.
  for (const path of [...files.map((name) => `/${BUILD}/${name}`), ...REST]) await cache.add(path);
  await keepDocuments();
}

/** Each document as the server makes it for this visitor now. */
async function keepDocuments() {
  await Promise.all(PAGES.map(async (path) => keep(path, await fetch(path, { headers: { accept: "text/html" } }))));
}

/**
 * Keeps a document for its path, unless it is an error or of another build, whose files are not here. It is made anew of text and headers: the
 * browser's own copy would know the address that it was fetched for, to which texts may belong.
 */
async function keep(path, response) {
  if (!response.ok || response.redirected) return;
  const text = await response.text();
  if (!text.includes(`/${BUILD}/`)) return;
  const headers = new Headers(response.headers);
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  await (await caches.open(CACHE)).put(path, new Response(text, { headers }));
}

/** What other builds have left goes, and open pages are served from now on. */
async function takeOver() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
  await clients.claim();
}

function kept(path) {
  return caches.open(CACHE).then((cache) => cache.match(path, { ignoreVary: true }));
}

/** The document from the network, which is kept, or what was kept of it where nothing answers. */
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
