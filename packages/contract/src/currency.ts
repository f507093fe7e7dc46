/** The currencies of the service with the decimal digits of their major unit (spec 1.3). XAF has no minor unit. */
export const currencyDigits = { XAF: 0, EUR: 2 } as const satisfies Record<string, 0 | 2>

export type Currency = keyof typeof currencyDigits

export const currencies = Object.keys(currencyDigits) as readonly Currency[]

export const isCurrency = (value: string): value is Currency => Object.hasOwn(currencyDigits, value)
