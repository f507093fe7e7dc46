import type { Statement } from '@merchant-payments/contract'
import { read } from '../../wire/client.ts'

/**
 * The statement of the day that an upload would replace, unless its reader has agreed to replace it as it is now. A closed
 * one is not replaced: the API refuses the upload.
 *
 * @throws ApiError
 */
export async function findEarlier(
  { rail, day }: Readonly<Record<string, string>>,
  agreed: Statement | null,
): Promise<Statement | null> {
  const { data } = await read('statements', { query: { rail, day } }, new AbortController().signal)
  const [found] = data
  if (found === undefined || found.status === 'closed') return null
  return found.id === agreed?.id && found.status === agreed.status ? null : found
}
