import {
  type Attributes,
  type Context,
  context,
  propagation,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ToolwrightError } from '../errors.ts';

/** How a span begins. */
export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** What the span belongs to; default: what is active. */
  readonly parent?: Context;
}

/** The fields of W3C Trace Context. Baggage stays with us: it is not meant for whoever an upstream is. */
export interface TraceFields {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

const TRACER = 'toolwright';

/**
 * Does work within a span, which is active meanwhile, and ends with it. What the work throws sets `error.type` (the code
 * of a `ToolwrightError`) and the status; messages stay out of spans, since they may quote personal data. Does the work
 * alone where the process has no OpenTelemetry SDK.
 */
export async function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const { parent = context.active(), kind, attributes } = options;
  const settings = { ...(kind === undefined ? {} : { kind }), ...(attributes === undefined ? {} : { attributes }) };
  return trace.getTracer(TRACER).startActiveSpan(name, settings, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failSpan(span, error instanceof ToolwrightError ? error.code : 'INTERNAL');
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Marks a span as failed. The type is one of few: a code, not a message. */
export function failSpan(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Adds facts to the span that is active, if one is. */
export function describeSpan(attributes: Attributes): void {
  trace.getActiveSpan()?.setAttributes(attributes);
}

/** Where we are in a trace, for whoever is asked next; nothing outside one. */
export function traceFields(): TraceFields {
  const carrier: { traceparent?: string; tracestate?: string } = {};
  propagation.inject(context.active(), carrier);
  const { traceparent, tracestate } = carrier;
  if (traceparent === undefined) return {};
  return { traceparent, ...(tracestate === undefined ? {} : { tracestate }) };
}

/** The trace that a caller says it is in, by these fields; else what is active. */
export function callerContext({ traceparent, tracestate }: Readonly<Record<string, unknown>>): Context {
  if (typeof traceparent !== 'string') return context.active();
  const carrier = { traceparent, ...(typeof tracestate === 'string' ? { tracestate } : {}) };
  return propagation.extract(context.active(), carrier);
}
