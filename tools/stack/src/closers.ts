export interface Closers {
  add(close: () => Promise<unknown>): void
  /** Calls the last added first, and all of them even if some fail. Throws the first error at the end. */
  close(): Promise<void>
}

/** Collects the functions that close what was opened. Repeated calls of close() run them once. */
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

/** Opens something of several parts. If one fails, the others are closed at once; else `closers` closes them later. */
export async function closingOnFailure<T>(
  closers: Closers,
  open: (owner: Closers) => Promise<T>,
): Promise<T> {
  const owner = createClosers()
  try {
    const opened = await open(owner)
    closers.add(() => owner.close())
    return opened
  } catch (error) {
    // The caller gets the first error, not one of the clean-up.
    await owner.close().catch(() => undefined)
    throw error
  }
}

/** Like Promise.all, but waits for all work to end before it rejects, so that everything opened can be closed. */
export async function allDone<T extends readonly unknown[]>(
  work: {
    readonly [K in keyof T]: Promise<T[K]>
  },
): Promise<T> {
  await Promise.allSettled(work)
  return Promise.all(work)
}
