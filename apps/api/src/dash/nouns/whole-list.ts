import { parseStaffPage } from '@merchant-payments/core'

/** A list under its filters, without a page. */
export const wholeList = (filters: Omit<Parameters<typeof parseStaffPage>[0], 'limit'>) =>
  parseStaffPage({ ...filters, limit: 1 })
