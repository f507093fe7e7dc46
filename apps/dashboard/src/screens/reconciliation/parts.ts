import { recordEnds, statementDelimiters } from '@merchant-payments/contract/records'
import { i18n } from '../../i18n.ts'
import { ApiError } from '../../wire/api-error.ts'

/** Characters of a part: in UTF-8 at most three times as many bytes, within the API's limit. */
const PART_CHARS = 300_000
/** The page does not know which of them the file has. */
const DELIMITERS = statementDelimiters.join('')

type Encoding = 'utf-8' | 'windows-1252'

/**
 * Reads the whole file, without keeping it. Spreadsheets save CSV as UTF-8 or as Windows-1252.
 *
 * @throws ApiError for a file that has both, of which neither reading is right
 */
export async function encodingOf(file: File): Promise<Encoding> {
  const strict = new TextDecoder('utf-8', { fatal: true })
  const lenient = new TextDecoder('utf-8')
  let isUtf8 = true
  let hasUtf8 = false
  const look = (bytes: Uint8Array | undefined) => {
    const options = { stream: bytes !== undefined }
    isUtf8 &&= decodes(strict, bytes, options)
    hasUtf8 ||= ofWesternEurope.test(lenient.decode(bytes, options))
  }
  const reader = file.stream().getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) look(read.value)
  look(undefined)
  if (isUtf8) return 'utf-8'
  if (!hasUtf8) return 'windows-1252'
  throw new ApiError(
    'refused',
    i18n.t('The file mixes UTF-8 with another encoding. Save it again as CSV in UTF-8, and upload that.'),
  )
}

/** Characters that UTF-8 writes as  or Ã and a sign, a pair that text in Windows-1252 hardly ever has. */
const ofWesternEurope = /[\u00A0-\u00FF]/

function decodes(decoder: TextDecoder, bytes: Uint8Array | undefined, options: TextDecodeOptions): boolean {
  try {
    decoder.decode(bytes, options)
    return true
  } catch {
    return false
  }
}

/** Whole records of the file, a part at a time, so that it may be larger than memory. */
export async function* partsOf(file: File, encoding: Encoding): AsyncGenerator<string, void, undefined> {
  const reader = file
    .stream()
    .pipeThrough(new TextDecoderStream(encoding, { fatal: true }))
    .getReader()
  let rest = ''
  let isFirst = true
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    rest += read.value
    while (rest.length > PART_CHARS) {
      const end = endOfPart(rest)
      yield rest.slice(0, end)
      isFirst = false
      rest = rest.slice(end)
    }
  }
  if (rest !== '' || isFirst) yield rest
}

/** After the last record that fits. If a quote does not end, after a line, so that the API can name the line. */
function endOfPart(text: string): number {
  let end = 0
  for (const next of recordEnds(text, 0, DELIMITERS)) {
    if (next > PART_CHARS) break
    end = next
  }
  end ||= text.lastIndexOf('\n', PART_CHARS - 1) + 1
  if (end === 0) throw new ApiError('refused', i18n.t('A line of the file is too long.'))
  return end
}
