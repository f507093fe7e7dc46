export { isClientDisabled, type JtiVerdict, spendJti } from './clients.ts'
export {
  adoptSigningKey,
  type Adoption,
  listPublishableKeys,
  type PublishableKey,
  type SigningJwk,
} from './signing-keys.ts'
