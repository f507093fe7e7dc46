import { type BuiltPage, openBuiltPage } from '../http/built-page.ts'

export type CheckoutPage = BuiltPage

export const openCheckoutPage = (directory: string): Promise<CheckoutPage> =>
  openBuiltPage(directory, { path: 'checkout_page_dir', page: 'checkout page' })
