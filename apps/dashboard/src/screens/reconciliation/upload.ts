import { beginStatement, compare, sendLines } from '../../wire/client.ts'
import { isTransient } from '../../wire/api-error.ts'
import { encodingOf, partsOf } from './parts.ts'

/** Before a request without an answer is sent again: some half a minute in all. */
const PAUSES_MS = [1_500, 3_000, 6_000, 10_000, 15_000]

export interface Upload {
  readonly file: File
  readonly form: Readonly<Record<string, string>>
  readonly csrfToken: string
  readonly onProgress: (share: number) => void
}

/** Sends the file in parts, so that it may be larger than memory, and compares it. @returns the id of the statement */
export async function upload({ file, form, csrfToken, onProgress }: Upload): Promise<string> {
  const encoding = await encodingOf(file)
  const key = crypto.randomUUID()
  const { target: id } = await insist(() => beginStatement(form, csrfToken, key))
  let part = 0
  let linesBefore = 0
  let sentChars = 0
  const send = async (text: string) => {
    await insist(() => sendLines(id, { part, linesBefore }, text, csrfToken))
    part += 1
    linesBefore += text.split('\n').length - 1
    sentChars += text.length
    onProgress(Math.min(1, sentChars / file.size))
  }
  for await (const text of partsOf(file, encoding)) await send(text)
  await compareAll(id, { parts: String(part) }, csrfToken)
  return id
}

/**
 * Each call compares for a few seconds. The first one ends the upload.
 *
 * @param form has the number of parts, if the upload has not ended yet
 */
export async function compareAll(
  id: string,
  form: Readonly<Record<string, string>>,
  csrfToken: string,
): Promise<void> {
  const compareMore = async () => (await insist(() => compare(id, form, csrfToken))).status
  while ((await compareMore()) === 'matching');
}

/** Sends again after a fault that may pass. Each request of an upload may come twice. */
async function insist<T>(send: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await send()
    } catch (fault) {
      if (!isTransient(fault)) throw fault
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return send()
}
