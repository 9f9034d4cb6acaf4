package otlp

import (
	"math"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/trace"
	spans "go.opentelemetry.io/otel/trace"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	wire "go.opentelemetry.io/proto/otlp/trace/v1"
)

// encode is spans as a request to a collector (ExportTraceServiceRequest, which is TracesData on the wire). All spans of a
// process have one resource.
func encode(all []trace.ReadOnlySpan) *wire.TracesData {
	if len(all) == 0 {
		return &wire.TracesData{}
	}
	of := all[0].Resource()
	whole := &wire.ResourceSpans{Resource: &resource.Resource{Attributes: attributes(of.Attributes())}, SchemaUrl: of.SchemaURL()}
	scopes := map[instrumentation.Scope]*wire.ScopeSpans{}
	for _, s := range all {
		scope := s.InstrumentationScope()
		in, there := scopes[scope]
		if !there {
			in = &wire.ScopeSpans{Scope: &common.InstrumentationScope{Name: scope.Name, Version: scope.Version,
				Attributes: attributes(scope.Attributes.ToSlice())}, SchemaUrl: scope.SchemaURL}
			scopes[scope] = in
			whole.ScopeSpans = append(whole.ScopeSpans, in)
		}
		in.Spans = append(in.Spans, span(s))
	}
	return &wire.TracesData{ResourceSpans: []*wire.ResourceSpans{whole}}
}

func span(s trace.ReadOnlySpan) *wire.Span {
	id := s.SpanContext()
	traced, own, parent := id.TraceID(), id.SpanID(), s.Parent().SpanID()
	out := &wire.Span{
		TraceId:                traced[:],
		SpanId:                 own[:],
		TraceState:             id.TraceState().String(),
		Flags:                  flags(id, s.Parent()),
		Name:                   s.Name(),
		Kind:                   wire.Span_SpanKind(s.SpanKind()), // the same numbers
		StartTimeUnixNano:      uint64(s.StartTime().UnixNano()),
		EndTimeUnixNano:        uint64(s.EndTime().UnixNano()),
		Attributes:             attributes(s.Attributes()),
		DroppedAttributesCount: count(s.DroppedAttributes()),
		DroppedEventsCount:     count(s.DroppedEvents()),
		DroppedLinksCount:      count(s.DroppedLinks()),
		Status:                 status(s.Status()),
	}
	if parent.IsValid() {
		out.ParentSpanId = parent[:]
	}
	for _, e := range s.Events() {
		out.Events = append(out.Events, &wire.Span_Event{Name: e.Name, TimeUnixNano: uint64(e.Time.UnixNano()),
			Attributes: attributes(e.Attributes), DroppedAttributesCount: count(e.DroppedAttributeCount)})
	}
	for _, l := range s.Links() {
		traced, own := l.SpanContext.TraceID(), l.SpanContext.SpanID()
		out.Links = append(out.Links, &wire.Span_Link{TraceId: traced[:], SpanId: own[:], TraceState: l.SpanContext.TraceState().String(),
			Flags: flags(l.SpanContext, l.SpanContext), Attributes: attributes(l.Attributes), DroppedAttributesCount: count(l.DroppedAttributeCount)})
	}
	return out
}

// flags are those of the trace, and whether what is above comes from another process.
func flags(id, above spans.SpanContext) uint32 {
	set := uint32(id.TraceFlags()) | uint32(wire.SpanFlags_SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK)
	if above.IsRemote() {
		set |= uint32(wire.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK)
	}
	return set
}

// status has other numbers on the wire than in the library.
func status(s trace.Status) *wire.Status {
	out := &wire.Status{Message: s.Description}
	switch s.Code {
	case codes.Ok:
		out.Code = wire.Status_STATUS_CODE_OK
	case codes.Error:
		out.Code = wire.Status_STATUS_CODE_ERROR
	}
	return out
}

func count(n int) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }

func attributes(all []attribute.KeyValue) []*common.KeyValue {
	out := make([]*common.KeyValue, len(all))
	for i, a := range all {
		out[i] = &common.KeyValue{Key: string(a.Key), Value: value(a.Value)}
	}
	return out
}

func value(v attribute.Value) *common.AnyValue {
	switch v.Type() {
	case attribute.BOOL:
		return &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: v.AsBool()}}
	case attribute.INT64:
		return &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: v.AsInt64()}}
	case attribute.FLOAT64:
		return &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: v.AsFloat64()}}
	case attribute.STRING:
		return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: v.AsString()}}
	case attribute.BYTESLICE:
		return &common.AnyValue{Value: &common.AnyValue_BytesValue{BytesValue: v.AsByteSlice()}}
	case attribute.MAP:
		return &common.AnyValue{Value: &common.AnyValue_KvlistValue{KvlistValue: &common.KeyValueList{Values: attributes(v.AsMap())}}}
	case attribute.BOOLSLICE:
		return array(v.AsBoolSlice(), attribute.BoolValue)
	case attribute.INT64SLICE:
		return array(v.AsInt64Slice(), attribute.Int64Value)
	case attribute.FLOAT64SLICE:
		return array(v.AsFloat64Slice(), attribute.Float64Value)
	case attribute.STRINGSLICE:
		return array(v.AsStringSlice(), attribute.StringValue)
	case attribute.SLICE:
		return array(v.AsSlice(), func(one attribute.Value) attribute.Value { return one })
	}
	return &common.AnyValue{}
}

func array[T any](all []T, as func(T) attribute.Value) *common.AnyValue {
	values := make([]*common.AnyValue, len(all))
	for i, one := range all {
		values[i] = value(as(one))
	}
	return &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: values}}}
}
