import { Refusal } from '@merchant-payments/contract'

export const noSuchRefund = () => new Refusal('resource_missing', 'No such refund.')

export const notSupported = () => new Refusal('not_supported', 'This rail has no refunds.')

export const notSucceeded = () =>
  new Refusal('intent_not_succeeded', 'This payment intent is not paid: there is nothing to refund.')

export const unproven = () =>
  new Refusal(
    'charge_unproven',
    'This payment was confirmed by hand, and the rail’s own evidence of it is not recorded yet.',
  )
