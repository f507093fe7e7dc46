import { IncomingMessage } from 'node:http'

/** docs/spec-gaps.md, load. After its first chunk, a body is kept in blocks of this size. */
export const BODY_BLOCK_BYTES = 4 * 1024

/**
 * A request whose body needs about as much memory as it has bytes, whatever its chunks, and whether or not it is read
 * yet. Node makes a Buffer of each chunk, and each takes 200 bytes of V8's heap. The client chooses the chunks: 64 KiB
 * in chunks of one byte would take 12 MB.
 *
 * The first chunk passes as it is, because it mostly is the whole body. A reader sees the end of a body that has more
 * when a block is full, or at its end. So does the limit of its bytes.
 */
export class BlockwiseRequest extends IncomingMessage {
  #hasBegun = false
  #block: Buffer | undefined
  #filled = 0

  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      if (this.#block !== undefined) super.push(this.#block.subarray(0, this.#filled))
      this.#block = undefined
      return super.push(null)
    }
    if (!this.#hasBegun) {
      this.#hasBegun = true
      return super.push(chunk)
    }
    return this.#gather(chunk)
  }

  /** @returns false if Node must stop reading, as `push` */
  #gather(chunk: Buffer): boolean {
    if (this.#block === undefined && chunk.length >= BODY_BLOCK_BYTES) return super.push(chunk)
    let goesOn = true
    for (let at = 0; at < chunk.length; ) {
      // Not of Node's pool, which a block would keep whole.
      this.#block ??= Buffer.allocUnsafeSlow(BODY_BLOCK_BYTES)
      const copied = chunk.copy(this.#block, this.#filled, at)
      at += copied
      this.#filled += copied
      if (this.#filled < BODY_BLOCK_BYTES) break
      goesOn = super.push(this.#block)
      this.#block = undefined
      this.#filled = 0
    }
    return goesOn
  }
}
