interface Transacting<Tx> {
  transact(work: (tx: Tx) => Promise<void>): Promise<void>
}

/**
 * Leaves a transaction open after its work, so that it holds what the work has locked.
 *
 * @returns commits the transaction
 */
export async function holdTransaction<Tx>(
  db: Transacting<Tx>,
  work: (tx: Tx) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const worked = Promise.withResolvers<void>()
  const freed = Promise.withResolvers<void>()
  const ended = db.transact(async (tx) => {
    await work(tx)
    worked.resolve()
    await freed.promise
  })
  await Promise.race([worked.promise, ended])
  return () => {
    freed.resolve()
    return ended
  }
}
