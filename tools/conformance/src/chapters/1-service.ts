import { api, type Chapter, contract, core, coreUnit, holds } from '../sentence.ts'

export const service: Chapter = {
  title: '1. What the service does',
  sentences: [
    holds(
      '1.2',
      'An integration written for the compatible API reads naturally.',
      api('v1/stripe-client', 'creates, retrieves, confirms, cancels and reads events'),
    ),
    holds(
      '1.3',
      'Money is in integer minor units.',
      contract('form', 'an amount'),
      contract('form', 'reaches from 1 to 99 999 999'),
    ),
    holds(
      '1.3',
      'Currencies are XAF and EUR.',
      api('conformance/service', 'money is XAF or EUR, in whole minor units'),
    ),
    holds(
      '1.3',
      'No floating-point number appears anywhere on the API.',
      api('conformance/service', 'no number of any declared answer has a fraction'),
    ),
    holds(
      '1.4',
      'A push rail prompts the payer’s handset, and the intent’s next_action is null.',
      api('v1/payment-intents/confirm', 'a charge that the rail accepted makes the intent processing'),
    ),
    holds(
      '1.4',
      'A redirect rail sends the payer to the rail’s own site, and next_action is then a redirect_to_url.',
      api('redirect-rail', 'sends the payer to the rail’s page'),
      coreUnit('payment-intents/render', 'sends the payer to the rail only while the payer is awaited there'),
    ),
    holds(
      '1.5',
      'The settlement writes the state change and its event in one transaction.',
      core('transitions', 'writes the intent, its charge, the event and the answer, in one transaction'),
    ),
    holds(
      '1.5',
      'A late success is reported as an ordinary payment_intent.succeeded.',
      api('v1/payment-intents/late-outcomes', 'is an ordinary success'),
    ),
    holds(
      '1.6',
      '/v1 takes a bearer access token obtained with private_key_jwt.',
      api('oauth/token', 'a good assertion is answered with a bearer token'),
      api('v1/authentication', 'without a good token'),
    ),
    holds(
      '1.6',
      '/v1/browser takes the publishable key and the intent’s or session’s client_secret.',
      api('browser/payment-intents/retrieve', 'is one answer, byte for byte, whatever is wrong'),
      api('browser/payment-intents/retrieve', 'the session’s secret reads its intent'),
    ),
    holds(
      '1.6',
      '/dash/v1 is mounted only on a deployment configured for the staff surface.',
      api('dash/every-route', 'where no staff are configured, there is no such surface'),
      api('dash/sign-in', 'ends in a session of the member'),
    ),
    holds(
      '1.6',
      'A callback only pulls a status query forward and never changes state.',
      api('rail-callback', 'never changes a state, whatever it claims'),
      api('forged-callbacks', 'change nothing'),
    ),
    holds(
      '1.6',
      '/v1/browser is not a second way into /v1.',
      api('browser/surface', 'no route of /v1 is reached with a payer’s key and secret'),
      api('browser/surface', 'no route of this one is reached with a merchant’s token alone'),
    ),
    holds(
      '1.6',
      'It has its own route table, its own 404 fallback and CORS.',
      api('browser/surface', 'its own fallback answers'),
      api('browser/surface', 'any page reads every answer and its headers'),
    ),
    holds(
      '1.6',
      'Exactly one of its routes is not a GET.',
      api('browser/surface', 'exactly one route is not a GET'),
    ),
    holds(
      '1.7',
      'Unauthenticated on /v1: GET /healthz and the OAuth provider routes.',
      api('http/routing', 'answers anyone'),
      api('oauth/discovery', 'says what is served'),
    ),
  ],
}
