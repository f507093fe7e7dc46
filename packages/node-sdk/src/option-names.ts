/** Typed as a record, so that the compiler requires every option. */
export type OptionNames<Options> = Readonly<Record<Exclude<keyof Options, symbol>, true>>

/** Refuses a misspelt option, which would otherwise have no effect: a lost idempotency key pays twice. */
export function refuseUnknown(options: object, names: object, what: string): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name))
  if (unknown === undefined) return
  throw new TypeError(`${unknown} is not ${what}; the options are ${Object.keys(names).join(', ')}`)
}
