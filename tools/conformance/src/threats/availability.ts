import { api, apiUnit, deploy, worker, workerUnit } from '../test-ref.ts'
import { type Asset, threat } from './threat.ts'

export const availability: Asset = {
  title: 'The service of everybody else',
  threats: [
    threat(
      'a merchant',
      'A flood of requests, or of large pages, keeps others waiting.',
      'A merchant has a share of what runs, smaller while the event loop has no time to spare; slots rest after large pages.',
      api('admission', 'is refused above the share and the queue, and others are still answered'),
      apiUnit('admission/admission', 'an owner with waiting requests gets fewer slots beside others'),
    ),
    threat(
      'a stranger',
      'Connections, slow senders or large bodies use up the process.',
      'Connections, header and body times and bytes are bounded, and the memory of a body by its bytes; the connection that was idle longest goes first. A callback’s body is parsed at the pace of callbacks, and only if its address has no reference.',
      api('http/limits', 'an endless sender is disconnected: %s'),
      api('http/tiny-chunks', 'keeps its bytes and no Buffer for each, while it is read'),
      api('http/connections', 'a recently used one stays open longer than an idle one'),
      api(
        'rail-callback',
        'no body of a flood is parsed before its turn, nor one whose address has a reference',
      ),
    ),
    threat(
      'a stranger, a staff member',
      'Requests of one session, or with made-up cookies, keep staff waiting.',
      'Each session has a share of what runs. All cookies without a tag of the deployment have one share together.',
      api('dash/shares', 'strangers with made-up cookies take no slots from staff'),
      api('dash/shares', 'a session that floods leaves slots to the others'),
    ),
    threat(
      'a stranger',
      'Made-up sign-ins keep staff from signing in, or make the service flood the identity provider.',
      'The cookie of a sign-in has a tag of the deployment, and a process redeems it once, so each try takes a sign-in of its own. The balancer bounds those of an address.',
      api('dash/made-up-sign-ins', 'takes no slot, and asks the provider for nothing'),
      api('dash/made-up-sign-ins', 'asks the provider once, however many copies of it come'),
      deploy('haproxy', 'is bounded more for sign-ins, which leave the other paths of staff open'),
    ),
    threat(
      'a stranger',
      'Idle connections of one address keep clients out of the balancer, or the processes from their database.',
      'The balancer bounds the connections of an address, and those of all clients below its own maximum. Two addresses together can still fill the latter.',
      deploy('haproxy', 'of one address leave room for other addresses, and haproxy shows who has many'),
      deploy('haproxy', 'of many addresses leave room for connections to PostgreSQL'),
      deploy('haproxy', 'a connection that never begins TLS is closed'),
    ),
    threat(
      'a payer, a stranger',
      'One handset uses up the requests of the payers who share its carrier’s address, or one address those of everybody.',
      'The balancer bounds the requests of a link and, twenty times higher, those of an address. It does not count what it refuses. Requests to /v1 with an Authorization header, true or made up, and to the token endpoint have no bound there: the shares of the api bound them.',
      deploy(
        'haproxy',
        'of a link is bounded, and its refused requests leave those of its address to others',
      ),
      deploy('haproxy', 'of an address is bounded however many links it invents, for payers alone'),
      deploy('haproxy', 'of each path that is not named is bounded, and not that of /v1 with any credential'),
    ),
    threat(
      'a stranger',
      'Small requests for the descriptions of the API take the processor and the network.',
      'They are compressed once, and not sent again to a client that has them. The balancer bounds their requests, as those of every path that is not a merchant’s.',
      api('reference', '%s is sent compressed, and kept by the client for some minutes'),
      deploy('haproxy', 'of each path that is not named is bounded, and not that of /v1 with any credential'),
    ),
    threat(
      'a stranger, a merchant',
      'A form makes the parser work more than its length.',
      'The parser is linear; depth and number of parameters are bounded.',
      apiUnit('http/form-body', 'twice the parameters cost at most twice the steps:'),
      api('http/errors', 'a bomb of %s is a 400 with a short message'),
      api('oauth/token', 'a form with %s is refused before it is parsed'),
    ),
    threat(
      'a merchant',
      'Rows grow until an answer stops the process.',
      'An invoice’s lines, a page and a stored answer are bounded in bytes, in the database.',
      api('page-bytes', 'a page ends before its answer exceeds 256 KiB, and the next one continues there'),
      api('v1/invoice-items/bytes', 'the database refuses growth above the limit if the code does not'),
    ),
    threat(
      'a merchant, or whoever runs its name server',
      'Names that nobody answers stop the deliveries of others, and the calls of rails.',
      'A look-up holds no thread, has an end, and leaves room for those of other merchants.',
      worker('dead-names', 'delays no other merchant'),
      workerUnit('egress/lookup', 'look-ups wait above its share, and another merchant’s do not'),
    ),
    threat(
      'a row that cannot be written, a row that somebody holds, a database that is silent',
      'A pass of the worker stops for everybody.',
      'A batch goes row by row after a refusal, the row rests with an alert, and every wait has an end.',
      worker('troubled-rows', 'a row that meets %s delays no other, and is not lost'),
      worker('troubled-rows', '%s: rows whose claim was never answered are done by the next run'),
    ),
  ],
}
