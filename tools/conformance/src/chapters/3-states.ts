import { api, awaits, type Chapter, core, coreUnit, holds, worker } from '../sentence.ts'

export const states: Chapter = {
  title: '3. States and transitions',
  sentences: [
    holds(
      '3.1',
      'There is no failed status.',
      api('conformance/service', 'a payment intent has four statuses, and none of them is failed'),
    ),
    holds(
      '3.1',
      'Confirm, when the rail accepted the charge: processing; a charge is committed as submitting, then submitted.',
      api('v1/payment-intents/confirm', 'a charge that the rail accepted makes the intent processing'),
      core(
        'open-charge',
        'committed as submitting, with its reference and its key, before the rail hears of it',
      ),
    ),
    holds(
      '3.1',
      'Settlement, when the rail reports success: succeeded, with its event in the same transaction.',
      core('settle-outcomes', 'a rail that says: %s'),
      core('transitions', 'writes the intent, its charge, the event and the answer, in one transaction'),
    ),
    awaits(
      'invoices',
      '3.1',
      'If the intent came from an invoice, invoice.paid too.',
      api('v1/invoices/settlement', 'pays the invoice: one event more'),
      api('v1/invoices/settlement', 'is told with the invoice’s in one transaction'),
    ),
    holds(
      '3.1',
      'A refused charge: requires_payment_method, last_payment_error and payment_intent.payment_failed.',
      api(
        'v1/payment-intents/confirm',
        'a decline at the submit is an ordinary answer, with the event in the same transaction',
      ),
      api(
        'v1/payment-intents/confirm',
        'a refusal in the status returns the intent to requires_payment_method',
      ),
    ),
    holds(
      '3.1',
      'Cancel from every non-terminal state: canceled, with payment_intent.canceled.',
      api('v1/payment-intents/cancel', 'one event, whose snapshot is the intent as the cancellation left it'),
      api('v1/payment-intents/cancel', 'a processing intent'),
    ),
    holds(
      '3.1',
      'No other transition is possible.',
      core('lifecycles', '%s to %s is judged by PostgreSQL as by the code'),
      coreUnit('lifecycle', 'the changes of a lifecycle are its moves between different states'),
      api('model/model', 'answered and told exactly what the books say'),
    ),
    holds(
      '3.1.1',
      'At most one live charge exists per intent, ever.',
      api('races', 'with fifty keys open one charge and show one prompt'),
      core('open-charge', 'with keys of their own open one charge'),
    ),
    holds(
      '3.1.1',
      'A confirm retry on an intent with a live charge answers 409; the message says which case it is.',
      api('v1/payment-intents/confirm', 'a live charge: poll, do not charge again'),
      api('v1/payment-intents/confirm', 'a succeeded charge: create a new intent'),
    ),
    holds(
      '3.1.2',
      'A confirm whose currency is not the rail’s settlement currency is a 400.',
      api('v1/payment-intents/confirm', 'a currency that is not the rail’s own is refused, without a charge'),
    ),
    holds(
      '3.1.3',
      'A 5xx on confirm releases its idempotency key so the retry re-executes.',
      api('v1/idempotency', 'after a 502 the key is released, and the same request goes on'),
    ),
    holds(
      '3.1.4',
      'No events are written for creation or for processing.',
      api('v1/payment-intents/create', 'a creation writes no event'),
      coreUnit('lifecycle', 'none when it begins to be processed'),
    ),
    holds(
      '3.2',
      'POST /v1/customers writes customer.created.',
      api('v1/customers/create', 'one event is written with it'),
    ),
    holds(
      '3.2',
      'An update writes customer.updated when something changed.',
      api('v1/customers/update', '%s, and all else stays'),
      api('v1/customers/update', 'writes no event, and is answered'),
    ),
    holds(
      '3.2',
      'A referenced customer is erased: an anonymised row is kept, metadata untouched.',
      api('v1/customers/del', 'is kept without identifiers, and its metadata is untouched'),
      core(
        'erasure',
        'every table with a foreign key to customers keeps the row of a customer whom it names',
      ),
    ),
    holds(
      '3.2',
      'Nine text identifiers become [redacted]; two coordinates become null.',
      coreUnit('base/redact', 'of a customer loses nine texts and two coordinates'),
    ),
    holds(
      '3.2',
      'Stored event bodies are redacted.',
      api('v1/customers/del', 'the earlier ones keep no identifier'),
    ),
    holds(
      '3.2',
      'Stored idempotency response bodies are redacted.',
      api('v1/customers/del', 'is still replayed, without identifiers'),
      core('erasure', 'an answer that is kept after the erasure of its customer is kept redacted'),
    ),
    holds(
      '3.2',
      'The charge’s raw decline text is redacted.',
      coreUnit('base/redact', 'of a payment intent loses the words of the rail, in an event too'),
    ),
    holds(
      '3.2',
      'The charge’s payer reference is redacted.',
      core('erasure', 'after the rail has refused: what was kept is taken back'),
      core('erasure', 'before the rail refuses: nothing that the rail says is kept'),
    ),
    holds(
      '3.2',
      'Webhook response excerpts are redacted.',
      core('erasure', 'what a receiver says to an event of a customer'),
    ),
    holds(
      '3.2',
      'customer.deleted is written in the same transaction.',
      core('erasure-steps', 'the removal and its event are one transaction'),
      api('v1/customers/del', 'the event says so, and the earlier ones keep no identifier'),
    ),
    holds(
      '3.2',
      'A customer whom nothing references is removed.',
      api('v1/customers/del', 'a customer whom nothing names is removed'),
    ),
    holds(
      '3.2',
      'An update of an erased customer is a 409.',
      api('v1/customers/update', 'an erased customer cannot be changed'),
    ),
    holds(
      '3.2',
      'Naming an erased customer on a new intent, session or invoice is a 409.',
      api('v1/payment-intents/create', 'an erased customer cannot be named'),
      api('v1/checkout/sessions/create', 'an erased customer cannot be named'),
      api('v1/invoices/create', 'an erased customer cannot be billed'),
    ),
    holds(
      '3.2',
      'A second DELETE writes no event and answers as the first.',
      api('v1/customers/del', 'again, an erased one has the same answer and no second event'),
    ),
    holds('3.3', 'Any 2xx: the delivery succeeds.', worker('egress', '%i is a success')),
    holds(
      '3.3',
      'Non-2xx, redirect or no answer: the next rung.',
      worker('egress', '%i is a failed attempt'),
      worker('egress', '%i is not followed'),
    ),
    holds(
      '3.3',
      'After the 8th failed attempt: exhausted, with an alert log line.',
      worker('deliver-webhooks', 'then it is exhausted with one alert'),
    ),
    holds(
      '3.3',
      'The egress guard refuses the address: exhausted on the first attempt.',
      worker('deliver-webhooks', 'is exhausted on attempt %i when the guard refuses the address'),
    ),
    holds(
      '3.3',
      'A manual operator replay makes an exhausted delivery pending.',
      worker('operators', 'gives an exhausted delivery a fresh ladder'),
    ),
    holds(
      '3.4',
      'pending to done after the delivery records are created.',
      worker('fan-out-events', 'each event becomes one delivery and one job for each endpoint, and is done'),
    ),
    holds(
      '3.4',
      'pending to failed after five failed fan-out passes, with one alert log line.',
      worker('fan-out-events', 'and fails with one alert'),
    ),
    holds(
      '3.4',
      'Only an operator action leaves failed.',
      worker('operators', 'makes a failed event pending'),
    ),
    awaits(
      'refunds',
      '3.5',
      'A refund the rail refuses fails and releases its reservation.',
      api(
        'v1/refunds/create',
        'a rail that refuses: pending until it is proven, then failed, told, and nothing is held any more',
      ),
    ),
    awaits(
      'refunds',
      '3.5',
      'Cancel of a refund in practice refuses every refund the create route produces.',
      api('v1/refunds/cancel', 'every refund that create makes'),
    ),
    awaits(
      'invoices',
      '3.5',
      'A draft holds its lines.',
      api('v1/invoices/create', 'the body is the whole draft'),
    ),
    holds(
      '3.5',
      'A checkout session can be expired, and an hourly sweep expires sessions.',
      api('v1/checkout/sessions/expire', 'the session is expired, without address or secret'),
      worker('sweeps', 'ends the sessions whose time is over'),
    ),
  ],
}
