/** Ids in examples. A test replaces each by an object that it creates, so every entry states the object's state. */
export const exampleIds = {
  /** An intent that waits for a payment method. */
  intent: 'pi_0190b2c4e8f97d3ab6c51e2f40718293',
  /** A payment intent that succeeded. */
  paidIntent: 'pi_0190b2c51d207e4c8f3a6b7d92e05c14',
  /** An open checkout session of an intent that waits for a payment method. */
  session: 'cs_0190b2c4f5a17c66ad0e93b1724f8d05',
  customer: 'cus_0190b2c4dd3e7b1f9a2c48e6f05b7d91',
  /** A draft without lines. */
  draft: 'in_0190b2c5037a7d52b8e41f6c9a30d7e2',
  /** A draft with one line. */
  billed: 'in_0190b2c50b617f0e94d2a8c37be516f4',
  /** A finalized invoice that is not paid. */
  openInvoice: 'in_0190b2c5128e7a93a5f06d4be1c278b9',
  /** A line of a draft. */
  item: 'ii_0190b2c507c4793fb1d85e20f6a94c37',
  /** A pending refund. */
  refund: 're_0190b2c5243b7e81ad6f02c95b17e8d4',
  /** A charge that its rail accepted and has not settled. */
  charge: 'ch_0190b2c52ffd7d8ea1b06c94e7325fa8',
  /** A charge that collected money in addition to another success of the same intent. */
  duplicate: 'ch_0190b2c5370b7a6fbc92d518e04f73c6',
  /** A delivery whose eight attempts have failed. */
  delivery: 'wd_0190b2c53e1972d0a78f5c0d6b9e41f5',
  /** An event whose fan-out has failed. */
  fanout: 'evt_0190b2c54527781bb6ce03f92d785a61',
  /** A pending approval request by another staff member. */
  approval: 'apr_0190b2c54c357e5298d147af60c3b92e',
  /** An alert that nobody handles yet. */
  attention: 'att_0190b2c5534e7a1c8bd06f2e94a7c15d',
  /** What that alert has told so far. */
  attentionVersion: 'mT0dNwq1vF3yXb7Kc9Zr2A',
  /** An operator's statement that was compared with the ledger. */
  statement: 'st_0190b2c55a3f7b0e9cd41f7a83b6e25d',
  /** One whose day is closed. */
  closedStatement: 'st_0190b2c55c927d41ae05c8b1f6034e79',
  /** A saved view of the staff member who calls. */
  view: 'vw_0190b2c5614e7c08a5d13f7b90e6c24a',
  /** A bulk job that is running. */
  bulkJob: 'blk_0190b2c55c1a7d3e9bf04a6c82d7e315',
  /** A rail of the deployment. */
  rail: 'mtn_momo_cm',
  /** A merchant that is registered. */
  merchant: 'acme',
  /** A merchant that is disabled. */
  disabledMerchant: 'acme-old',
  /** The event of a payment intent that was canceled. */
  event: 'evt_0190b2c52c9f7b44986ad3f1e05c72b8',
} as const

/** A JSON value in an example. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A call with its expected answer. The documents show it; a test runs it against the service. */
export interface Example {
  /** The object in the path, one of `exampleIds`. */
  readonly id?: string
  /** The body or the query in the SDK's spelling: null is the form's empty value. */
  readonly params?: { readonly [key: string]: Json }
  /** Part of the answer, or the code of the error. */
  readonly answer: { readonly [key: string]: Json } | { readonly refused: string }
}
