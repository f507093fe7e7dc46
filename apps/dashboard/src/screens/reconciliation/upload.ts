import { beginStatement, compare, sendLines } from '../../wire/client.ts'

/** Characters of a part: in UTF-8 at most three times as many bytes, within the API's limit. */
const PART_CHARS = 300_000
const SAMPLE_BYTES = 64 * 1_024

export interface Upload {
  readonly file: File
  readonly form: Readonly<Record<string, string>>
  readonly csrfToken: string
  readonly onProgress: (share: number) => void
}

/** Sends the file in parts, so that it may be larger than memory, and compares it. @returns the id of the statement */
export async function upload({ file, form, csrfToken, onProgress }: Upload): Promise<string> {
  const { target: id } = await beginStatement(form, csrfToken)
  let part = 0
  let sentChars = 0
  const send = async (text: string) => {
    await sendLines(id, part, text, csrfToken)
    part += 1
    sentChars += text.length
    onProgress(Math.min(1, sentChars / file.size))
  }
  let rest = ''
  const chunks = file.stream().pipeThrough(new TextDecoderStream(await encodingOf(file)))
  const reader = chunks.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    rest += read.value
    while (rest.length > PART_CHARS) {
      const end = rest.lastIndexOf('\n', PART_CHARS) + 1
      if (end === 0) throw new RangeError('a line of the file is too long')
      await send(rest.slice(0, end))
      rest = rest.slice(end)
    }
  }
  if (rest !== '' || part === 0) await send(rest)
  await compareAll(id, csrfToken)
  return id
}

/** Each call compares for a few seconds. */
export async function compareAll(id: string, csrfToken: string): Promise<void> {
  let { status } = await compare(id, csrfToken)
  while (status === 'matching') ({ status } = await compare(id, csrfToken))
}

/** Spreadsheets save CSV as Windows-1252. */
async function encodingOf(file: File): Promise<string> {
  try {
    const sample = await file.slice(0, SAMPLE_BYTES).arrayBuffer()
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}
