import { Refusal } from '@merchant-payments/contract'
import { ENDING_DIGITS_MIN } from '../../charges/staff/store.ts'
import { type MetadataFilter, parseMetadataFilter } from '../../payment-intents/staff/metadata.ts'
import { type Msisdn, parseMsisdn } from '../../base/phone.ts'

/** What a text may be of an object. Null for what it cannot be. */
export interface Question {
  /** The text, and each part of it that may be a reference, as in an operator's SMS. */
  readonly references: readonly string[]
  readonly number: Msisdn | null
  /** The last digits of a number: four at least. */
  readonly ending: string | null
  /** In francs. */
  readonly amount: number | null
  readonly metadata: MetadataFilter
  readonly email: string | null
  /** The words of a name, in lower case and without accents. */
  readonly name: readonly string[] | null
}

export function parseQuestion(text: string, defaultCountryCode: string): Question {
  const number = numberIn(text, defaultCountryCode)
  return {
    references: referencesIn(text),
    number,
    ending: number ?? endingIn(text),
    amount: amountIn(text),
    metadata: parseMetadataFilter(text),
    email: text.length <= EMAIL_CHARS_MAX && /^[^\s@]+@[^\s@]+$/.test(text) ? text.toLowerCase() : null,
    name: nameIn(text),
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

/** The last digits of a number, of which a payer may remember only these. */
function endingIn(text: string): string | null {
  const digits = text.replaceAll(' ', '')
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

/** As people write one: `25 000`, `25,000`, `25.000 FCFA`. */
function amountIn(text: string): number | null {
  const digits = text.replace(/\s?(?:F|FCFA|XAF)$/i, '').replaceAll(/[\s.,]/g, '')
  return /^[1-9]\d{0,7}$/.test(digits) ? Number(digits) : null
}

/** Shorter texts begin the names of too many people. */
const NAME_LETTERS_MIN = 3
const NAME_WORDS_MAX = 6

function nameIn(text: string): string[] | null {
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  if (!/^[\p{L} .'’-]+$/u.test(plain)) return null
  const words = plain.split(/[ .'’-]+/).filter((word) => word !== '')
  const isLong = words.some((word) => word.length >= NAME_LETTERS_MIN)
  return isLong && words.length <= NAME_WORDS_MAX ? words : null
}
