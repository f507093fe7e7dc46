export interface Closers {
  add(close: () => Promise<unknown>): void
  /** The last added first, each of them whatever becomes of the others; the first error is thrown at the end. */
  close(): Promise<void>
}

/** What has been opened and must be closed; once, however often it is asked. */
export function createClosers(): Closers {
  const closers: (() => Promise<unknown>)[] = []
  let closing: Promise<void> | undefined

  async function closeAll(): Promise<void> {
    const errors: unknown[] = []
    for (const close of closers.toReversed()) await close().catch((error: unknown) => errors.push(error))
    if (errors.length > 0) throw errors[0]
  }

  return {
    add: (close) => void closers.push(close),
    close: () => (closing ??= closeAll()),
  }
}

/** Promise.all that leaves nothing under way when it rejects, so that all that was opened can be closed. */
export async function allDone<T extends readonly unknown[]>(
  work: {
    readonly [K in keyof T]: Promise<T[K]>
  },
): Promise<T> {
  await Promise.allSettled(work)
  return Promise.all(work)
}
