import { allowInsecureBaseUrl, definePaymentForm } from './payment-form.mjs'

const form = document.querySelector('merchant-payment-form')
// The development system has no certificate.
if (form.getAttribute('base-url').startsWith('http://')) form[allowInsecureBaseUrl] = true
definePaymentForm()

// This is what the device saw. The order is settled by the webhook. The payer stays here: the form may still have to
// warn of a second request.
form.addEventListener('outcome', ({ detail }) => {
  const isPaid = detail.outcome === 'succeeded'
  document.title = isPaid ? form.dataset.paidTitle : form.dataset.notPaidTitle
  document.getElementById('thanks').hidden = !isPaid
})
