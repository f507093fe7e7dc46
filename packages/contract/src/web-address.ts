/**
 * The text of an http or https address. `URL.parse` alone also takes `https:shop.example`, spaces and backslashes, and
 * repairs them. Whoever gets the text as it was sent may not: on an https page, a browser reads `https:/thanks` as a path
 * of that page.
 */
export const webAddress = /^https?:\/\/(?!\/)[^\s\p{Cc}\\]+$/iu
