import { api, awaits, type Chapter, contract, core, e2e, holds, payer } from '../sentence.ts'

export const endpoints: Chapter = {
  title: '4. Endpoints',
  sentences: [
    holds(
      '4',
      'All /v1 routes need a bearer token and a scope.',
      api('v1/authentication', 'without a good token: one answer'),
      api('v1/authentication', '%s with neither scope'),
    ),
    holds(
      '4',
      'Every POST (and PATCH) needs the Idempotency-Key header.',
      api('v1/idempotency', '%s is refused on every POST and PATCH'),
    ),
    holds(
      '4',
      'An authenticated request to an unrouted path is 404 unknown_route.',
      api('http/routing', '%s is 404 for a merchant, by any method'),
    ),
    holds(
      '4',
      'A wrong method on a routed path is 405 with no JSON body.',
      api('http/routing', '$method $path'),
      api('http/every-route', '$path answers it, with Allow, to each method that it has not'),
    ),
    holds(
      '4.1',
      'The discovery document advertises only what is served.',
      api('oauth/discovery', 'says what is served'),
      api('oauth/discovery', 'advertises no address that is not served'),
    ),
    holds(
      '4.1',
      'The JWK set has every publishable signing key and Cache-Control: public, max-age=300.',
      api('oauth/discovery', 'holds the public part of the signing key, and may be cached for five minutes'),
    ),
    holds(
      '4.2',
      'The routes of the table are served, and no other.',
      api('http/every-route', 'the routes of /v1 are those of the specification, and no other'),
      contract('payment-intents', 'the routes are those of the interface'),
      contract('openapi/documents', 'has each route of its surface, and no other'),
    ),
    holds(
      '4.2',
      'A create of a payment intent answers 201.',
      api('v1/payment-intents/create', 'the body is the whole intent as it was created'),
    ),
    holds(
      '4.2',
      'GET /v1/customers includes erased customers.',
      api('v1/customers/list', 'an erased customer is listed, and marked as such'),
    ),
    holds(
      '4.2',
      'No email filter exists on customers.',
      api('conformance/service', 'customers cannot be filtered by their e-mail address'),
    ),
    holds(
      '4.2',
      'GET of an erased customer answers with deleted: true.',
      api('v1/customers/retrieve', 'an erased one answers with its mark'),
    ),
    holds(
      '4.2',
      'DELETE of a customer answers id, object and deleted, or the uniform 404, and never 409.',
      api('v1/customers/del', 'a foreign, an unknown, a removed and an ill-formed id are the same answer'),
      api('v1/customers/del', 'again, an erased one has the same answer'),
    ),
    awaits(
      'refunds',
      '4.2',
      'destination[rail][msisdn] is required on both rails.',
      api('v1/refunds/create', 'a number is required all the same'),
    ),
    awaits(
      'refunds',
      '4.2',
      'A refund’s update takes metadata only; any other parameter is a 400 naming it.',
      api('v1/refunds/update', '%s is refused by name, and changes nothing'),
    ),
    awaits(
      'invoices',
      '4.2',
      'POST and PATCH of an invoice are one update handler.',
      api('v1/invoices/update', 'PATCH'),
    ),
    awaits(
      'invoiceItems',
      '4.2',
      'There is no collection GET on /v1/invoice_items.',
      api('v1/invoice-items/create', 'has no GET: lines are read from their invoice'),
    ),
    holds(
      '4.2',
      'GET /v1/balance and any search route answer 404 unknown_route.',
      api('http/routing', '%s is 404 for a merchant, by any method'),
    ),
    holds(
      '4.3.1',
      'automatic_payment_methods is dropped, so the create is refused for the missing field.',
      contract('payment-intents', 'with automatic_payment_methods alone still lacks its rails'),
    ),
    holds(
      '4.3.2',
      'confirm=true on create is a 400 with param confirm; confirm=false is accepted.',
      contract('payment-intents', 'may say confirm=false and nothing else about it'),
    ),
    holds(
      '4.3.3',
      'capture_method (other than automatic), application_fee_amount, transfer_data and on_behalf_of are a 400 naming the field, on create and confirm.',
      contract('payment-intents', 'refuses %s by name'),
      contract('payment-intents', 'refuses any capture_method but automatic'),
    ),
    holds(
      '4.3.4',
      'setup_future_usage, confirmation_method, receipt_email, statement_descriptor and expand are accepted and ignored.',
      contract('payment-intents', 'drops what the interface ignores'),
      api('v1/payment-intents/create', 'ignored and unknown parameters leave no trace'),
    ),
    holds(
      '4.3.5',
      'A customer that is not the caller’s, or does not exist, is the same 400 naming customer.',
      api(
        'v1/payment-intents/create',
        'an unknown, a foreign and an ill-formed customer are the same refusal',
      ),
    ),
    holds(
      '4.3.6',
      'Naming a customer moves the last-used stamp forward, never backward.',
      api('v1/payment-intents/create', 'its last use moves forward'),
      api('v1/checkout/sessions/create', 'its last use moves forward'),
      api('v1/invoices/create', 'the customer’s last use moves forward'),
      core('open-charge', 'without moving it back'),
      api('v1/payment-intents/confirm', 'last use moves forward with each charge'),
    ),
    holds(
      '4.4.1',
      'Absent leaves a field unchanged, a value sets it, an empty string clears it.',
      api('v1/customers/update', '%s, and all else stays'),
    ),
    holds(
      '4.4.2',
      'Clearing the last of name, email and phone is a 400.',
      api('v1/customers/update', 'clearing %s is refused, and changes nothing'),
    ),
    holds(
      '4.4.3',
      'metadata merges key-wise; a key sent empty is removed.',
      api('v1/customers/update', '%s, and all else stays'),
    ),
    holds(
      '4.4.4',
      'A bodiless update is a no-op, writes nothing and emits no event.',
      api('v1/customers/update', 'changes nothing, writes no event, and is answered'),
    ),
    holds(
      '4.4.5',
      'Another merchant’s id answers the identical 404 as an unknown id.',
      api('v1/uniform-404', 'another merchant’s id, an unknown id and an ill-formed id are one 404'),
    ),
    awaits(
      'refunds',
      '4.5.1',
      'A 201 means pending, reserved, charge.refunded emitted in the same transaction, and the rail instructed.',
      core('refund-create', 'its event and its key in one transaction'),
      api('v1/refunds/create', 'the refund as it was written'),
      api('v1/refunds/create', 'a rail out of reach: the worker instructs it once it is back'),
    ),
    awaits(
      'refunds',
      '4.5.1',
      'Nothing settles a pending refund.',
      api('v1/refunds/create', 'nothing that the rail refunds settles a refund'),
    ),
    awaits(
      'refunds',
      '4.5.2',
      'A rail that does not implement refunds fails the refund, releases the reservation and answers 501.',
      api('v1/refunds/create', 'a rail without refunds: written, told, failed, told, and nothing is held'),
    ),
    holds(
      '4.6',
      'The payer’s read of the intent remains readable after the session ends.',
      api(
        'browser/payment-intents/retrieve',
        'the session’s secret reads its intent, before and after the session’s end',
      ),
    ),
    holds(
      '4.6',
      '/dash/v1 routes.',
      api('dash/every-route', 'there are reads and changes'),
      api('dash/payment-intents', 'dash.paymentIntents.list'),
    ),
    holds(
      '4.6',
      'A payer-device client decides the outcome only from this read.',
      payer('once', 'no result lies'),
      e2e('payer', 'pays, and sees what the shop sees'),
    ),
    holds(
      '4.6',
      'It confirms the intent, then polls until terminal or its poll budget is spent.',
      payer('wait', 'it asks often at first'),
      payer('resume', 'looks on after pending'),
    ),
    holds('4.6', 'succeeded: the device observed it.', e2e('payer', 'pays a session by its secret alone')),
    holds(
      '4.6',
      'failed carries a code and the rail’s message.',
      e2e('payer', 'is told why the rail refused'),
    ),
    holds(
      '4.6',
      'canceled: the intent is terminally canceled.',
      payer('pay', 'canceled when the merchant gives it up'),
    ),
    holds(
      '4.6',
      'unresolved: the outcome could not be found out.',
      payer('pay', 'unresolved, nothing sent and within a minute'),
    ),
    holds(
      '4.6',
      'A client refuses a non-https base address unless explicitly told otherwise.',
      payer('options', 'unless a symbol that no configuration file can hold says so'),
    ),
    holds(
      '4.6',
      'A client never holds a merchant token, private key or Authorization header.',
      payer('pay', 'with the publishable key and the secret in headers'),
    ),
  ],
}
