package lab

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"splat/internal/fault"
)

// parseResult reads result.json. Keys that it does not know are another version's.
func parseResult(path string, text []byte) (*Result, error) {
	res := &Result{}
	err := json.Unmarshal(text, &res)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return nil, fault.Dataf("%s: %s: found %s, expected %s", path, kind.Field, jsonFound(kind.Value), jsonExpected(kind.Type))
	case errors.As(err, &kind):
		return nil, fault.Dataf("%s: found %s, expected an object, the result of a run", path, jsonFound(kind.Value))
	case err != nil:
		return nil, fault.Dataf("%s: not JSON, expected the result of a run: %v", path, err)
	case res == nil:
		return nil, fault.Dataf("%s: found null, expected an object, the result of a run", path)
	}
	return res, nil
}

// jsonFound is what encoding/json says that it found, in words.
func jsonFound(value string) string {
	switch value {
	case "string":
		return "text"
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "number":
		return "a number"
	}
	return strings.TrimPrefix(value, "number ")
}

// jsonExpected is what a field of a Result holds, in words.
func jsonExpected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int:
		return "a whole number"
	case reflect.Uint64:
		return "a whole number, 0 or more"
	case reflect.Float64:
		return "a number"
	case reflect.Struct:
		return "an object"
	case reflect.Slice:
		return "a list"
	}
	return "text"
}
