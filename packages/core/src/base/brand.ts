declare const brand: unique symbol

/** A string or number that only its own parser can create. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name }
