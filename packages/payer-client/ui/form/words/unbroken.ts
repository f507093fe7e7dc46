/** Keeps a masked number on one line. */
export const unbroken = (masked: string): string => masked.replace(/ /g, '\u00a0')
