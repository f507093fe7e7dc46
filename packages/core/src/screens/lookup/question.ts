import { Refusal } from '@merchant-payments/contract'
import { ENDING_DIGITS_MIN } from '../../charges/staff/store.ts'
import { type MetadataFilter, parseMetadataFilter } from '../../payment-intents/staff/metadata.ts'
import { dialledIn, type Msisdn, parseMsisdn } from '../../base/phone.ts'

/** What a text may be of an object. Null for what it cannot be. */
export interface Question {
  /** The text, and each part of it that may be a reference, as in an operator's SMS. */
  readonly references: readonly string[]
  readonly number: Msisdn | null
  readonly ending: string | null
  /** In francs. */
  readonly amount: number | null
  readonly metadata: MetadataFilter
  readonly email: string | null
  readonly name: NameQuestion | null
}

export interface NameQuestion {
  /** The name as it was typed and as others may have written it. The index of names has its own words for each. */
  readonly spellings: readonly string[]
  /** Whether the first letters of each word are enough. */
  readonly isBegun: boolean
}

export function parseQuestion(text: string, defaultCountryCode: string): Question {
  const number = numberIn(text, defaultCountryCode)
  const amount = amountIn(text)
  return {
    references: referencesIn(text),
    number,
    ending: number ?? endingIn(text),
    amount,
    metadata: parseMetadataFilter(text),
    email: text.length <= EMAIL_CHARS_MAX && /^[^\s@]+@[^\s@]+$/.test(text) ? text.toLowerCase() : null,
    name: amount === null ? nameIn(text) : null,
  }
}

const EMAIL_CHARS_MAX = 320
/** References that are looked up for one text: more than an operator's SMS has. */
const REFERENCES_MAX = 10
const REFERENCE_CHARS_MIN = 6
const REFERENCE_DIGITS_MIN = 4
/** Digits of a number with its country code (spec 2.2). */
const MSISDN_DIGITS = 12

/** A part that may be a reference is long, has digits, and stands between spaces or punctuation. */
function referencesIn(text: string): string[] {
  const parts = text
    .split(/[\s,;:()]+/)
    .map((part) => part.replace(/[.!?]$/, ''))
    .filter(
      (part) =>
        part.length >= REFERENCE_CHARS_MIN && part.replaceAll(/\D/g, '').length >= REFERENCE_DIGITS_MIN,
    )
  return [...new Set([text, ...parts])].slice(0, REFERENCES_MAX)
}

/** The last digits of a number, of which a payer may remember only these, in any spelling of a number. */
function endingIn(text: string): string | null {
  const digits = dialledIn(text) ?? ''
  return digits.length >= ENDING_DIGITS_MIN && digits.length < MSISDN_DIGITS && /^\d+$/.test(digits)
    ? digits
    : null
}

function numberIn(text: string, defaultCountryCode: string): Msisdn | null {
  try {
    return parseMsisdn(text, defaultCountryCode, 'q')
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** As people write one: `25 000`, `25,000`, `25.000 F CFA`. Francs have no fraction, so each separator groups thousands. */
function amountIn(text: string): number | null {
  const number = text.replace(/\s?(?:F|F\s?CFA|XAF)$/i, '')
  if (!/^(?:\d+|\d{1,3}(?:([\s.,])\d{3})(?:\1\d{3})*)$/.test(number)) return null
  const digits = number.replaceAll(/\D/g, '')
  return /^[1-9]\d{0,7}$/.test(digits) ? Number(digits) : null
}

/** Shorter texts begin the names of too many people. */
const NAME_LETTERS_MIN = 3
/** The first letters of more words would cost too much. */
const BEGUN_WORDS_MAX = 6

/** The limits of a customer's name that is looked for. One letter is a part of other texts. */
const NAME_CHARS_MIN = 2
const NAME_CHARS_MAX = 256

/** An id, a reference or metadata has letters beside digits, or marks that names do not have. */
const isCode = (text: string): boolean =>
  /[=@_]/.test(text) || text.split(/\s/).some((part) => /\p{L}/u.test(part) && /\p{N}/u.test(part))

/** A text that has more letters than digits, and no digits if it is as long as an operator's SMS. */
function nameIn(text: string): NameQuestion | null {
  const [letters, digits] = [countOf(text, /\p{L}/gu), countOf(text, /\p{N}/gu)]
  if (letters < NAME_CHARS_MIN || letters <= digits || text.length > NAME_CHARS_MAX) return null
  if (isCode(text)) return null
  const words = text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[ .'’-]+/)
    .filter((word) => word !== '')
  if (digits > 0 && words.length > BEGUN_WORDS_MAX) return null
  const isLong = words.some((word) => word.length >= NAME_LETTERS_MIN)
  return { spellings: spellingsOf(text, words), isBegun: isLong && words.length <= BEGUN_WORDS_MAX }
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** A phone writes another apostrophe than a keyboard. An accent is a part of its letter, or a mark behind it. */
function spellingsOf(text: string, words: readonly string[]): string[] {
  const apostrophes = [text, text.replaceAll("'", '’'), text.replaceAll('’', "'")]
  const accents = apostrophes.flatMap((one) => [one, one.normalize('NFC'), one.normalize('NFD')])
  return [...new Set([...accents, words.join(' ')])]
}
