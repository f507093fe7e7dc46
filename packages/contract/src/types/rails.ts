import { commentOf } from './type-script.ts'
import { usage } from './usage.ts'

interface Rail {
  readonly code: string
  readonly description: string
  readonly instrument: 'PushInstrument' | 'RedirectInstrument'
}

/** The codes that the documents and examples use. A deployment names its rails itself. */
export const rails: readonly Rail[] = [
  {
    code: 'mtn_momo_cm',
    description: 'MTN MoMo in Cameroon, a push rail: the operator prompts this handset.',
    instrument: 'PushInstrument',
  },
  {
    code: 'orange_money_cm',
    description:
      'Orange Money in Cameroon, a redirect rail: the payer names the account on the rail’s page. Pass `null`.',
    instrument: 'RedirectInstrument',
  },
]

/** Declares the payer's instrument on each rail. */
export const railDeclarations = (): string[] => [
  `${commentOf('The payer’s instrument on a push rail.', 0)}
export interface PushInstrument {
${commentOf('The payer’s phone number, in any spelling.', 1)}
  readonly msisdn: string
}`,
  `${commentOf('The payer’s instrument on a redirect rail: none is needed.', 0)}
export type RedirectInstrument = Partial<PushInstrument> | null`,
  `${commentOf('The payer’s instrument by the code of its rail, for the rails that this version knows.', 0)}
export interface RailInstruments {
${rails.map(({ code, description, instrument }) => `${commentOf(description, 1)}\n  readonly ${code}: ${instrument}`).join('\n')}
}`,
  `${commentOf(
    `One rail and the payer’s instrument on it. A rail that this version does not know takes any of the instruments. \`type\` alone also names a redirect rail.\n\n@example\n\`\`\`ts\n${usage['PaymentMethodData'] ?? ''}\n\`\`\``,
    0,
  )}
export type PaymentMethodData =
  | (Partial<RailInstruments> & Readonly<Record<string, RailInstruments[keyof RailInstruments]>>)
  | (Partial<RailInstruments> & {
${commentOf('The code of the rail. It must agree with the rail that is named beside it.', 2)}
    readonly type: string
  })`,
]
