/**
 * Writes all items in one statement. If that throws, each gets its own, so that one which cannot be written holds up no
 * other. `onFailure` hears of those; what it throws, as when the database is away, ends the work.
 */
export async function writeIsolated<T>(
  items: readonly T[],
  write: (items: readonly T[]) => Promise<void>,
  onFailure: (item: T, error: unknown) => Promise<void>,
): Promise<void> {
  try {
    await write(items)
  } catch {
    for (const item of items) await write([item]).catch((error: unknown) => onFailure(item, error))
  }
}
