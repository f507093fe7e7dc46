import { allowInsecureBaseUrl, definePaymentForm } from './payment-form.mjs'

const form = document.querySelector('merchant-payment-form')
// The development system has no certificate.
if (form.getAttribute('base-url').startsWith('http://')) form[allowInsecureBaseUrl] = true
definePaymentForm()

// This is what the device saw. The order is settled by the webhook.
form.addEventListener('outcome', ({ detail }) => {
  document.title = detail.outcome === 'succeeded' ? 'Paid' : 'Not paid'
})
