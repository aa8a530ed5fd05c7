/** Passkeys of this browser: options and answers as JSON, as the server sends and takes them. */

/** Whether the page can use passkeys: browsers have them at secure host names. */
export function passkeySupport(host = window.location.hostname): 'yes' | 'address' | 'browser' {
  if (/^[\d.]+$/.test(host) || host.includes(':')) return 'address';
  return typeof PublicKeyCredential === 'undefined' ? 'browser' : 'yes';
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

function toText(bytes: ArrayBuffer): string {
  const plain = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
  return btoa(plain).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function descriptors(listed: PublicKeyCredentialDescriptorJSON[] | undefined): PublicKeyCredentialDescriptor[] {
  return (listed ?? []).map((one) => ({
    type: 'public-key',
    id: toBytes(one.id),
    ...(one.transports ? { transports: one.transports as AuthenticatorTransport[] } : {}),
  }));
}

/** Makes a passkey. Throws where the person cancels or the device has one already. */
export async function createPasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<unknown> {
  const publicKey = {
    ...options,
    challenge: toBytes(options.challenge),
    user: { ...options.user, id: toBytes(options.user.id) },
    excludeCredentials: descriptors(options.excludeCredentials),
  } as PublicKeyCredentialCreationOptions;
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential | null;
  if (!made) throw new DOMException('', 'NotAllowedError');
  const response = made.response as AuthenticatorAttestationResponse;
  return {
    id: made.id,
    rawId: toText(made.rawId),
    type: made.type,
    response: {
      attestationObject: toText(response.attestationObject),
      clientDataJSON: toText(response.clientDataJSON),
    },
  };
}

/** Answers a challenge with a passkey. Throws where the person cancels. */
export async function usePasskey(options: PublicKeyCredentialRequestOptionsJSON): Promise<unknown> {
  const publicKey = {
    ...options,
    challenge: toBytes(options.challenge),
    allowCredentials: descriptors(options.allowCredentials),
  } as PublicKeyCredentialRequestOptions;
  const shown = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential | null;
  if (!shown) throw new DOMException('', 'NotAllowedError');
  const response = shown.response as AuthenticatorAssertionResponse;
  return {
    id: shown.id,
    rawId: toText(shown.rawId),
    type: shown.type,
    response: {
      authenticatorData: toText(response.authenticatorData),
      clientDataJSON: toText(response.clientDataJSON),
      signature: toText(response.signature),
      userHandle: response.userHandle ? toText(response.userHandle) : null,
    },
  };
}
