export { findClientState, type JtiVerdict, spendJti, whyClosed } from './clients.ts'
export {
  adoptSigningKey,
  type Adoption,
  listPublishableKeys,
  type PublishableKey,
  type SigningJwk,
} from './signing-keys.ts'
