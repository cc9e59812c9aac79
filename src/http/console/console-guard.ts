// Which requests reach the console at all: from a browser on this machine, unless the project says otherwise; and to its
// API only from its own pages.
import { BlockList, isIPv6 } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONSOLE_HEADER, CONSOLE_PATH } from '../../console/contract.ts';
import { notFoundError, SheafError } from '../../errors.ts';
import type { Settings } from '../../project/settings.ts';
import { NOT_SHARED } from '../caching.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** By which proxies tell for whom they ask, or that they do. */
const FORWARDING = /^(?:forwarded|x-forwarded-.+|x-real-ip|via)$/;

/** A page of another site could have its own name lead to this machine, so the name counts as well. */
const isLocalName = (host: string): boolean => {
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return /(?:^|\.)localhost$/i.test(name) || isLoopback(name);
};

/**
 * Whether a request comes from this machine, as far as that can be known. What a proxy says of where it comes from is not
 * asked: one that is trusted may say it in a way that is not understood here, and another may be on this machine as well.
 */
function isLocal({ host, headers, socket }: FastifyRequest): boolean {
  const isForwarded = Object.keys(headers).some((name) => FORWARDING.test(name));
  return !isForwarded && isLoopback(socket.remoteAddress) && isLocalName(host);
}

/** The URL is in its normal form, but for its case. */
const CONSOLE_URL = new RegExp(`^${CONSOLE_PATH}(?:[/?]|$)`, 'i');

/** Headers that let pages of other origins read an answer. None of them is for the console. */
const SHARED_WITH_ORIGINS = [
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-expose-headers',
];

/**
 * Whether a request is for the console, by whatever method; an error where it may not know that there is one. Whatever is
 * answered, refusals included, is for who asks alone.
 */
export function guardConsole(request: FastifyRequest, reply: FastifyReply, settings: Settings): boolean | SheafError {
  if (!CONSOLE_URL.test(request.url)) return false;
  for (const name of SHARED_WITH_ORIGINS) reply.removeHeader(name);
  reply.header('cache-control', NOT_SHARED);
  return settings.console.remote || isLocal(request) ? true : notFoundError();
}

/** Refuses what no page of the console has sent. */
export function requireOwnPage({ headers, host }: FastifyRequest, { server }: Settings): void {
  if (headers[CONSOLE_HEADER] === undefined) throw refusal(`Requests of the console have the header ${CONSOLE_HEADER}`);
  const { origin } = headers;
  if (origin !== undefined && !isAt(origin, host) && !(server.url && originOf(server.url) === origin))
    throw refusal('Requests of the console come from its own pages');
}

const refusal = (message: string): SheafError => new SheafError(403, 'ForbiddenError', message);

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null);

/** Whether an origin is at a host. A proxy that ends TLS does not tell, so that the scheme is not compared. */
function isAt(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: own } = new URL(origin);
  return URL.canParse(`${protocol}//${host}`) && new URL(`${protocol}//${host}`).host === own;
}
