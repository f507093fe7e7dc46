import type { Rails } from './port.ts'

/** The rails whose charges this process can query. */
export const knownRails = (rails: Rails): string[] => [...rails.keys()]

/** The rails that this process can instruct to pay out. */
export const payoutRails = (rails: Rails): string[] =>
  [...rails].flatMap(([code, { refunds }]) => (refunds === null ? [] : [code]))
