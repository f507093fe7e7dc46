import { allowInsecureBaseUrl, createPayerClient, PayerClientError } from '@merchant-payments/payer-client'

const { baseUrl, clientSecret } = document.getElementById('pay').dataset
const form = document.querySelector('form')
const status = document.querySelector('[role=status]')
const railLink = document.getElementById('rail')
const say = (text) => {
  status.textContent = text
}

// A session's secret carries the publishable key. The development system has no certificate, hence the symbol.
const client = createPayerClient({
  baseUrl,
  clientSecret,
  [allowInsecureBaseUrl]: baseUrl.startsWith('http://'),
})

const words = {
  succeeded: () => 'Thank you. The shop sends your order once the service has told it, too.',
  failed: ({ code, message }) => `Refused: ${message ?? code}. You may try again.`,
  canceled: () => 'The shop has canceled this payment.',
  pending: () => 'The operator has not answered yet. Do not pay again: your order’s page will tell.',
  unresolved: () => 'We could not find out. Load the page again: you are never charged twice.',
}

const phases = {
  checking: 'Checking…',
  sending: 'Sending the request…',
  waiting: 'Confirm on your phone.',
}

function onProgress({ phase, trouble, intent }) {
  say(trouble === 'network' ? 'You are offline. We keep trying.' : phases[phase])
  // The way back for a payer who has left the rail's page too early.
  const page = intent?.next_action?.redirect_to_url.url
  railLink.hidden = page === undefined
  if (page !== undefined) railLink.href = page
}

let watching = new AbortController()

function show(result) {
  const mayTry = result === null || result.outcome === 'failed'
  form.hidden = !mayTry
  railLink.hidden = true
  say(result === null ? '' : words[result.outcome](result))
  if (result?.outcome === 'failed') void watchForLateSuccess()
}

/** An operator that refused may still take the money. */
async function watchForLateSuccess() {
  watching = new AbortController()
  for await (const intent of client.watch({ signal: watching.signal })) {
    if (intent.status === 'succeeded') show({ outcome: 'succeeded', intent })
  }
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  watching.abort()
  const { rail, msisdn } = Object.fromEntries(new FormData(form))
  const isRedirect = rails.find(({ code }) => code === rail)?.flow === 'redirect'
  const order = isRedirect
    ? { rail, returnUrl: location.href, redirect: (url) => location.assign(url) }
    : { rail, msisdn }
  form.hidden = true
  try {
    show(await client.pay(order, { onProgress }))
  } catch (error) {
    form.hidden = false
    say(
      error instanceof PayerClientError
        ? 'Please check the number.'
        : 'This did not work. Nothing was charged.',
    )
  }
})

const { rails } = await client.retrieveSession()
for (const [index, { code, name }] of rails.entries()) {
  const label = document.createElement('label')
  const input = Object.assign(document.createElement('input'), {
    type: 'radio',
    name: 'rail',
    value: code,
    checked: index === 0,
  })
  label.append(input, ` ${name.en} `)
  document.getElementById('rails').append(label)
}
// After a reload or a rail's page a payment may be under way already.
show(await client.resume({ onProgress }))
