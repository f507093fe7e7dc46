import { MoveRefused } from './cell.ts'
import { raiseFence } from './fence.ts'
import { findLastPassage, findMove, writeLeft } from './state.ts'
import { type Moving, removeJobs } from './steps.ts'

/**
 * Closes the merchant in its old cell, which was restored to a time before the merchant had left it. The restore lost the
 * step to `left`, so both cells would take the merchant's payments. Also names the move that was repeated for a restored new
 * cell, which `forget` asks for. It can be run again.
 *
 * @throws MoveRefused unless the audit log of the new cell shows that the merchant came to it, and lives there
 */
export async function closeRestored(moving: Moving): Promise<void> {
  const { from, to, merchantId, operator, report } = moving
  const moveId = await requireLivingIn(moving)
  const leaving = await findMove(from, merchantId)
  // A move that was repeated from a spare server has another id.
  if (leaving?.state !== 'left' || leaving.moveId !== moveId)
    await writeLeft(
      from,
      merchantId,
      { before: leaving?.state ?? 'here', moveId, otherCell: to.name },
      operator,
    )
  await raiseFence(from, report)
  await removeJobs(from, merchantId)
  report(`${merchantId} is here in ${to.name}, and has left ${from.name}`)
}

/** @returns the move by which the merchant came to the new cell */
async function requireLivingIn({ from, to, merchantId }: Moving): Promise<string> {
  const came = await findLastPassage(to, merchantId)
  if (came === null) throw new MoveRefused(`${merchantId} never came to ${to.name}`)
  const [leaving, arriving] = [await findMove(from, merchantId), await findMove(to, merchantId)]
  if (!came.isArrival || arriving?.state === 'left')
    throw new MoveRefused(`${merchantId} has left ${to.name}: name the cell where it lives after --to`)
  for (const [cell, move] of [
    [from, leaving],
    [to, arriving],
  ] as const)
    if (move?.state === 'arriving')
      throw new MoveRefused(`${merchantId} is arriving in ${cell.name}: abandon or end that move first`)
  const here = await findLastPassage(from, merchantId)
  if (here !== null && here.isArrival && here.entryId > came.entryId)
    throw new MoveRefused(`${merchantId} came to ${from.name} later: name the cells the other way round`)
  return came.moveId
}
