/**
 * The text of an http or https address. `URL.parse` alone also takes `https:shop.example`, spaces and backslashes, and
 * repairs them. A browser does not: on an https page, it reads `https:/thanks` as a path of that page.
 */
export const webAddress = /^https?:\/\/(?!\/)[^\s\p{Cc}\\]+$/iu
