// The connection to the server: text and binary messages, and a new try when it is lost.

export class Socket {
  /** `on` has functions: open(), text(message), binary(header, bytes), lost(why). */
  constructor(on) {
    this.on = on;
    this.wait = 250;
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(`ws://${location.host}/socket${location.search}`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      this.wait = 250;
      this.on.open();
    };
    // One after the other, as they come: inflating takes its time.
    let before = Promise.resolve();
    this.socket.onmessage = ({ data }) => {
      before = before.then(() => this.take(data)).catch((wrong) => console.error(wrong));
    };
    this.socket.onclose = (event) => {
      this.on.lost(event.reason);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, 4000);
    };
  }

  async take(data) {
    if (typeof data === "string") return this.on.text(JSON.parse(data));
    const length = new DataView(data).getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
    const isDeflated = new Uint8Array(data)[4 + length] === 1, bytes = new Uint8Array(data, 5 + length);
    if (!isDeflated) return this.on.binary(header, bytes);
    const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    await this.on.binary(header, new Uint8Array(await new Response(inflated).arrayBuffer()));
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
