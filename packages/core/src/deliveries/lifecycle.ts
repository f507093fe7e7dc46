import { lifecycle } from '../base/lifecycle.ts'

/** Spec 3.3. */
export const deliveryLifecycle = lifecycle({
  pending: { succeed: 'succeeded', exhaust: 'exhausted' },
  exhausted: { replay: 'pending' },
  succeeded: {},
})
