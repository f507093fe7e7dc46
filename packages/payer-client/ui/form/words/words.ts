import type { BrowserSession, DeclineCode } from '../../../src/wire.ts'

/** The page needs these before the language's file is loaded. */
export interface Language {
  /** Formats numbers and dates. */
  readonly tag: string
  /** The language of the API's and the rails' texts that comes nearest. */
  readonly api: NonNullable<BrowserSession['locale']>
  /** The tab's title before the payment is read. */
  readonly title: string
  /** The language's own name, for the button that chooses it. */
  readonly name: string
}

export interface DeclineWords {
  readonly reason: string
  /** May contain `{merchant}`. */
  readonly advice: string
}

export type DeclineTexts = Readonly<Record<DeclineCode, DeclineWords>>

/** Every text of the form. A language without one of them does not compile. */
export interface FormWords {
  readonly offline: string
  readonly noAnswer: string

  readonly payTitle: string
  readonly railQuestion: string
  readonly numberLabel: (rail: string) => string
  readonly anyNumberLabel: string
  readonly numberHint: string
  readonly numberAtRail: (rail: string) => string
  readonly railProposed: (rail: string) => string
  readonly railDiffers: (looksLike: string, chosen: string) => string
  readonly redirectNote: (rail: string) => string
  readonly pushNote: (rail: string) => string
  readonly pay: (amount: string) => string
  readonly payAtRail: (rail: string) => string
  readonly sending: string
  readonly numberMissing: string
  readonly numberFitsNone: (rails: readonly string[]) => string
  readonly railMissing: string
  readonly numberRefused: string
  readonly orderRefused: string
  readonly notReceived: string
  readonly startAgain: (merchant: string) => string
  readonly noRail: (merchant: string) => string

  readonly approveTitle: string
  readonly approveStep: (rail: string) => string
  readonly approveNumber: (number: string) => string
  readonly approvePayee: (name: string) => string
  readonly approveBy: (time: string) => string
  readonly timeLeft: (minutes: number, seconds: number) => string
  readonly timeLeftSpoken: (seconds: number) => string
  readonly noPromptTitle: string
  readonly dial: (code: string) => string
  readonly dialSteps: (code: string, rail: string) => readonly string[]
  readonly copy: string
  readonly copied: string
  readonly slow: string
  readonly checkNow: string
  readonly updates: string

  readonly wrongNumber: string
  readonly otherWay: string
  readonly wishWarning: string
  readonly requestStays: string
  readonly requestStaysAt: (number: string) => string
  readonly atRailStays: (rail: string) => string
  readonly goesOnAt: (time: string, minutes: number, seconds: number) => string
  readonly goesOnAfterAnswer: string
  readonly refuseOnPhone: string
  readonly refuseAtRail: (rail: string) => string
  readonly freeAgain: string

  readonly atRailTitle: (rail: string) => string
  readonly atRailText: (rail: string) => string
  readonly atRailWatching: string
  readonly toRail: (host: string) => string
  readonly leavingTitle: (rail: string) => string

  readonly unsureTitle: string
  readonly unsureText: string

  readonly pendingTitle: string
  readonly pendingText: (merchant: string) => string
  readonly waitOn: string

  readonly declinedTitle: string
  readonly declineWatch: string
  readonly sameNumber: string
  readonly otherNumber: string
  readonly tryAgain: string
  readonly railSays: string

  readonly noMoreTriesTitle: string
  readonly noMoreTriesText: (merchant: string) => string

  readonly succeededTitle: string
  /** `where` is one of the following three. */
  readonly openRequest: (where: string) => string
  readonly atNumber: (number: string) => string
  readonly atPhone: string
  readonly atRailPage: (rail: string) => string

  readonly canceledTitle: string
  readonly canceledText: (merchant: string) => string
  readonly expiredTitle: string
  readonly expiredText: (merchant: string) => string

  readonly unreadableTitle: string
  readonly unreadableText: string
  readonly retry: string
  readonly lostTitle: string

  readonly testMode: string
}

/** A language's file, as far as the form needs it. */
export interface Catalogue {
  readonly form: FormWords
  readonly declines: DeclineTexts
}

/** The texts that only the hosted page has. They are in the same file, so that a language is one file. */
export interface PageWords {
  readonly mayClose: string

  readonly onPhoneTitle: string
  readonly onPhoneText: string

  readonly receiptTitle: string
  readonly receiptMerchant: string
  readonly receiptOrder: string
  readonly receiptAmount: string
  readonly receiptMeans: string
  readonly receiptPayer: string
  readonly receiptPayee: string
  readonly receiptDate: string
  readonly receiptTransaction: string
  readonly receiptReference: string
  readonly receiptFile: string
  readonly share: string
  readonly sendByWhatsApp: string
  readonly saveImage: string
  readonly notSaved: string
  readonly print: string
  readonly toShop: (merchant: string) => string

  readonly lostText: string
}
