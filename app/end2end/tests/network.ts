// A network between visitor and server that can fail, or pretend that the server has another build of the page.
import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy for the server under test. It can be unreachable, and can rename the server's build. */
export class Network {
  /** Whether the server is unreachable. */
  down = false;
  /** The build's name, and the name by which the proxy replaces it. */
  renamed: { from: string; to: string } | undefined;
  private server: Server;

  constructor(private upstream: string) {
    this.server = createServer((asked, response) => {
      if (this.down) return asked.socket.destroy();
      if (this.renamed && asked.url!.includes(this.renamed.from)) return response.writeHead(404).end();
      const path = this.renamed ? asked.url!.replaceAll(this.renamed.to, this.renamed.from) : asked.url!;
      const { "accept-encoding": _, ...headers } = asked.headers;
      const forward = request(new URL(path, this.upstream), { method: asked.method, headers }, (answered) => {
        response.writeHead(answered.statusCode!, answered.headers);
        if (answered.headers["content-type"]?.startsWith("text/html")) this.rename(answered, response);
        else answered.pipe(response);
      });
      forward.on("error", () => response.destroy());
      asked.pipe(forward);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async rename(document: AsyncIterable<Buffer>, response: ServerResponse) {
    const pieces: Buffer[] = [];
    for await (const piece of document) pieces.push(piece);
    const html = Buffer.concat(pieces).toString();
    response.end(this.renamed ? html.replaceAll(this.renamed.from, this.renamed.to) : html);
  }
}
