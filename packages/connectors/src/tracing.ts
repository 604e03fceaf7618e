import {
  type Attributes,
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  ProxyTracerProvider,
  propagation,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ToolwrightError } from './errors.ts';

/** The options of a span. */
export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** The parent of the span. Default: the active context. */
  readonly parent?: Context;
}

/** The fields of W3C Trace Context. Baggage is not sent: servers must not see it. */
export interface TraceFields {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

const TRACER = 'toolwright';
const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/**
 * Runs `work` in an active span, and ends the span. An error sets the status and `error.type` (the code of a
 * `ToolwrightError`). Spans contain no messages, which may contain personal data. Without an OpenTelemetry SDK in the
 * process it only runs `work`.
 */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  if (!isTraced()) return work(NO_SPAN);
  const { parent = context.active(), kind, attributes } = options;
  const settings = { kind, attributes };
  const span = trace.getTracer(TRACER).startSpan(name, settings, parent);
  if (!isSpanContextValid(span.spanContext())) return work(span);
  return context.with(trace.setSpan(parent, span), async () => {
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

/** Returns whether this process has an OpenTelemetry SDK. A span without one would create three objects for nothing. */
export function isTraced(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(TRACER) !== undefined;
}

/** Marks a span as failed. `errorType` is an error code, not a message. */
export function failSpan(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Adds attributes to the active span, if there is one. */
export function describeSpan(attributes: Attributes): void {
  trace.getActiveSpan()?.setAttributes(attributes);
}

/** Returns the fields of the active trace, for the next request; no fields outside a trace. */
export function traceFields(): TraceFields {
  const carrier: { traceparent?: string; tracestate?: string } = {};
  propagation.inject(context.active(), carrier);
  const { traceparent, tracestate } = carrier;
  if (traceparent === undefined) return {};
  return { traceparent, tracestate };
}

/** Returns the trace context of a caller's fields, or the active context without them. */
export function callerContext({ traceparent, tracestate }: Readonly<Record<string, unknown>>): Context {
  if (typeof traceparent !== 'string') return context.active();
  const carrier = { traceparent, tracestate: typeof tracestate === 'string' ? tracestate : undefined };
  return propagation.extract(context.active(), carrier);
}
