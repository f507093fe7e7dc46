import { definePaymentForm } from './index.ts'

export { allowInsecureBaseUrl } from './index.ts'

definePaymentForm()
