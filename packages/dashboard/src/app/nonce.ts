import { setNonce } from 'get-nonce';

/** The nonce of this page, which styles need that a script adds. */
export const NONCE: string = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(NONCE);
