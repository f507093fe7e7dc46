/** A chapter of the specification: its sections by number, each with what it says in short. */
export interface Chapter {
  readonly title: string
  readonly sections: Readonly<Record<string, string>>
}

/** A statement that no test holds, and why. */
export interface Gap {
  readonly section: string
  readonly says: string
  readonly why: string
}

/** Every section that says something; a rule that has a number counts as one. */
export const chapters: readonly Chapter[] = [
  {
    title: '1. What the service does',
    sections: {
      '1.1': 'A payments service for merchants, built around mobile-money rails.',
      '1.2': 'An integration written for the compatible API reads naturally.',
      '1.3': 'Money is in integer minor units of XAF or EUR; no floating-point number appears.',
      '1.4': 'A push rail prompts the payer; a redirect rail sends the payer to its own site.',
      '1.5':
        'The settlement writes the change and its event in one transaction; a late success is an ordinary one.',
      '1.6': 'Four surfaces, each with its own credential; /v1/browser is no second way into /v1.',
      '1.7': 'Unauthenticated on /v1: GET /healthz and the OAuth provider routes.',
    },
  },
  {
    title: '2. Resources and their fields',
    sections: {
      '2.1': 'Ids, timestamps, livemode, pages and forms.',
      '2.2': 'The fields of a customer, its canonical phone and its address.',
      '2.2.1': 'A customer has a name, an email or a phone.',
      '2.2.2': 'Phone and email are not unique.',
      '2.2.3': 'The time of the last use is not on the wire.',
      '2.3': 'The six keys of an event, whose object is the snapshot at the transition.',
      '2.4': 'The fields of a payment intent.',
      '2.5': 'The fields of a checkout session.',
      '2.6': 'An invoice, its lines, and the payment intent that pays it.',
      '2.7': 'The fields of a refund, which reserves its amount.',
      '2.8': 'The account holder: a stateless name check.',
      '2.9': 'The token response.',
    },
  },
  {
    title: '3. States and transitions',
    sections: {
      '3.1': 'The states of a payment intent and their moves.',
      '3.1.1': 'At most one live charge exists per intent.',
      '3.1.2': 'A confirm in a currency that is not the rail’s is a 400.',
      '3.1.3': 'A 5xx on confirm releases its idempotency key.',
      '3.1.4': 'No events are written for creation or for processing.',
      '3.2': 'A customer is live, erased or removed, and every stored copy is redacted.',
      '3.3': 'The states of a webhook delivery.',
      '3.4': 'The states of an event’s fan-out.',
      '3.5': 'Refunds, invoices and checkout sessions.',
    },
  },
  {
    title: '4. Endpoints',
    sections: {
      '4': 'Token, scope and Idempotency-Key; 404 unknown_route, and 405 without a JSON body.',
      '4.1': 'The routes that need no token.',
      '4.2': 'The routes for merchants, and no other.',
      '4.3.1': 'payment_method_types is required; automatic_payment_methods is dropped.',
      '4.3.2': 'confirm=true on create is a 400; confirm=false is accepted.',
      '4.3.3': 'capture_method, application_fee_amount, transfer_data and on_behalf_of are refused by name.',
      '4.3.4':
        'setup_future_usage, confirmation_method, receipt_email, statement_descriptor and expand are ignored.',
      '4.3.5': 'A foreign or unknown customer is one 400 naming customer.',
      '4.3.6': 'Naming a customer moves the time of its last use forward, never backward.',
      '4.4.1': 'Absent leaves a field unchanged, a value sets it, an empty string clears it.',
      '4.4.2': 'Clearing the last of name, email and phone is a 400.',
      '4.4.3': 'metadata merges key by key; a key sent empty is removed.',
      '4.4.4': 'An update without a body writes nothing and emits no event.',
      '4.4.5': 'Another merchant’s id answers the identical 404 as an unknown id.',
      '4.5.1': 'A 201 means pending, reserved, told and instructed; nothing settles a pending refund.',
      '4.5.2': 'A rail without refunds fails the refund, releases the reservation and answers 501.',
      '4.6': 'The browser surface, and how a payer’s device decides the outcome.',
    },
  },
  {
    title: '5. Authentication',
    sections: {
      '5.1.1': 'client_credentials with private_key_jwt; no shared secret exists.',
      '5.1.2': 'Other grants are unauthorized_client; there is no refresh token.',
      '5.1.3': 'A registration whose audiences cannot target service:v1 is refused at boot.',
      '5.1.4': 'A replica that does not know a merchant answers invalid_client.',
      '5.1.5': 'A disabled client is refused from the next request on.',
      '5.2': 'The claims and headers of a client assertion.',
      '5.3': 'The fields of a token request, and the order of its checks.',
      '5.4': 'Lifetime, audience and scopes of an access token.',
      '5.5': 'The signing key, its rotation and its retirement.',
      '5.6': 'The credentials of the other surfaces.',
      '5.7': 'A failure does not say which check failed.',
    },
  },
  {
    title: '6. Events',
    sections: {
      '6.1': 'Fifteen types, and what writes each.',
      '6.2': 'The shapes of their payloads, written in the transaction that they report.',
      '6.3.1': 'The fan-out makes one delivery and one job for each endpoint; replays are absorbed.',
      '6.3.2': 'A POST of the event as JSON, at least once and unordered.',
      '6.3.3': 'The headers of a delivery.',
      '6.3.4': 'The signature, and how it is verified.',
      '6.3.5': 'Eight POSTs: 10 s, 30 s, 2 min, 10 min, 1 h, 6 h and 24 h apart.',
      '6.3.6': 'Every non-2xx walks the whole ladder; redirects are never followed.',
      '6.3.7': '10 seconds end to end, 5 seconds to connect.',
      '6.3.8': 'A scan re-enqueues deliveries that lost their job; replay is an operator’s action.',
      '6.3.9': 'GET /v1/events is the polling fallback.',
      '6.3.10': 'The egress guard refuses addresses that are not public.',
      '6.3.11': 'The boot checks of endpoints in livemode.',
      '6.4': 'Endpoints are entries of the deployment’s configuration.',
    },
  },
  {
    title: '7. Errors',
    sections: {
      '7.1': 'The envelope, which carries no hosts, table names or credentials.',
      '7.2': 'The known cases, compat-should-retry and the request id.',
      '7.3': 'Errors of the token endpoint.',
    },
  },
  {
    title: '8. Limits',
    sections: { '8': 'Limits, idempotency, and no rate limits.' },
  },
  {
    title: '9. Versioning',
    sections: {
      '9.1': 'The version is the path prefix; none is advertised or echoed.',
      '9.2': 'The version headers of the compatible API are accepted and ignored.',
      '9.3': 'What carries over for a client of the compatible API, and what differs.',
      '9.4': 'An authenticator sets only the Authorization header.',
    },
  },
]

export const gaps: readonly Gap[] = [
  { section: '1.1', says: 'What the service is for.', why: 'The sections below say it in detail.' },
  {
    section: '2.2',
    says: 'SDKs do not validate a phone.',
    why: 'The SDKs have no code for it that a test could call.',
  },
  {
    section: '5.4',
    says: 'An unknown verb requires write.',
    why: 'A verb without a route is a 405 before its scope is looked at.',
  },
  {
    section: '6.3.7',
    says: 'The time-outs are 10 and 5 seconds.',
    why: 'The tests shorten them; the constants are in apps/worker/src/egress/egress.ts.',
  },
  {
    section: '6.4',
    says: 'Changing endpoints is a deploy of both the server and the worker.',
    why: 'This is a rule for operators.',
  },
  {
    section: '8',
    says: 'Webhook time-outs of 10 s and 5 s, both sweeps every hour, the scan every 10 minutes.',
    why: 'No test waits so long; the constants are in apps/worker/src/egress/egress.ts and apps/worker/src/schedule.ts.',
  },
]
