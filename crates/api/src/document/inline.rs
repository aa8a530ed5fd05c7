//! Puts the schemas of ids, times and the like (`domain/src/base/schema/mod.rs`) in the place of the references to
//! them: the document names only schemas of objects and lists.

use std::collections::BTreeMap;

use domain::base::schema::INLINE;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, PathItem};
use utoipa::openapi::schema::{AdditionalProperties, ArrayItems, Object, OneOf, Schema, SchemaType, Type};
use utoipa::openapi::{Content, OpenApi, Ref, RefOr};

/// The schemas to write out, by the location of their references.
type Scalars = BTreeMap<String, Object>;

pub(super) fn inline_scalars(document: &mut OpenApi) {
    let Some(components) = &mut document.components else { return };
    let mut scalars = Scalars::new();
    components.schemas.retain(|name, schema| match schema {
        RefOr::T(Schema::Object(scalar)) if name.starts_with(INLINE) => {
            scalars.insert(Ref::from_schema_name(name.as_str()).ref_location, scalar.clone());
            false
        }
        _ => true,
    });
    components.schemas.values_mut().for_each(|schema| in_schema(schema, &scalars));
    document.paths.paths.values_mut().flat_map(operations).for_each(|operation| in_operation(operation, &scalars));
}

/// The operations of a path.
pub(crate) fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, post, put, patch, delete, .. } = item;
    [get, post, put, patch, delete].into_iter().flatten()
}

fn in_operation(operation: &mut Operation, scalars: &Scalars) {
    for parameter in operation.parameters.iter_mut().flatten() {
        let RefOr::T(parameter) = parameter else { continue };
        describe_path_id(parameter, scalars);
        if let Some(schema) = &mut parameter.schema {
            in_schema(schema, scalars);
            remove_null(schema);
        }
    }
    let request = operation.request_body.iter_mut().filter_map(resolved).flat_map(|body| body.content.values_mut());
    request.for_each(|content| in_content(content, scalars));
    let responses = operation.responses.responses.values_mut().filter_map(resolved);
    responses.flat_map(|response| response.content.values_mut()).for_each(|content| in_content(content, scalars));
}

fn resolved<T>(slot: &mut RefOr<T>) -> Option<&mut T> {
    if let RefOr::T(value) = slot { Some(value) } else { None }
}

fn in_content(content: &mut RefOr<Content>, scalars: &Scalars) {
    if let RefOr::T(content) = content {
        content.schema.iter_mut().for_each(|schema| in_schema(schema, scalars));
    }
}

/// A parameter is absent or has a value; there is no way to write null.
fn remove_null(schema: &mut RefOr<Schema>) {
    let schema_type = match schema {
        RefOr::T(Schema::OneOf(OneOf { items, .. })) => {
            items.retain(|item| !is_null(item));
            if let [value] = items.as_slice() {
                *schema = value.clone();
            }
            return;
        }
        RefOr::T(Schema::Object(value)) => &mut value.schema_type,
        RefOr::T(Schema::Array(values)) => &mut values.schema_type,
        _ => return,
    };
    if let SchemaType::Array(types) = schema_type
        && let [value, Type::Null] = types.as_slice()
    {
        *schema_type = SchemaType::Type(value.clone());
    }
}

fn is_null(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null))
}

/// Gives an id in the path the description and the example of its schema.
fn describe_path_id(parameter: &mut Parameter, scalars: &Scalars) {
    if let Some(RefOr::Ref(reference)) = &parameter.schema
        && let Some(id) = scalars.get(&reference.ref_location)
    {
        let mut text = id.clone();
        let (description, example) = (text.description.take(), text.example.take());
        let described = ParameterBuilder::from(parameter.clone()).schema(Some(text)).example(example);
        *parameter = described.description(parameter.description.clone().or(description)).build();
    }
}

fn in_schema(slot: &mut RefOr<Schema>, scalars: &Scalars) {
    if let Some(written_out) = scalar(slot, scalars) {
        *slot = RefOr::T(written_out);
        return;
    }
    match slot {
        RefOr::T(Schema::Object(object)) => {
            object.properties.values_mut().for_each(|property| in_schema(property, scalars));
            if let Some(AdditionalProperties::RefOr(values)) = object.additional_properties.as_deref_mut() {
                in_schema(values, scalars);
            }
        }
        RefOr::T(Schema::Array(array)) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                in_schema(items, scalars);
            }
        }
        RefOr::T(Schema::OneOf(any)) => any.items.iter_mut().for_each(|item| in_schema(item, scalars)),
        RefOr::T(Schema::AllOf(all)) => all.items.iter_mut().for_each(|item| in_schema(item, scalars)),
        RefOr::T(Schema::AnyOf(any)) => any.items.iter_mut().for_each(|item| in_schema(item, scalars)),
        _ => {}
    }
}

/// The schema of a reference to a scalar, or of one that may be null.
fn scalar(slot: &RefOr<Schema>, scalars: &Scalars) -> Option<Schema> {
    let (reference, description, nullable) = match slot {
        RefOr::Ref(reference) => (reference, Some(&reference.description), false),
        RefOr::T(Schema::OneOf(OneOf { items, description, .. })) => match items.as_slice() {
            [null, RefOr::Ref(reference)] | [RefOr::Ref(reference), null] if is_null(null) => {
                (reference, description.as_ref().or(Some(&reference.description)), true)
            }
            _ => return None,
        },
        RefOr::T(_) => return None,
    };
    let mut scalar = scalars.get(&reference.ref_location)?.clone();
    scalar.description = description.filter(|text| !text.is_empty()).cloned();
    if nullable {
        scalar.schema_type = SchemaType::Array(vec![Type::String, Type::Null]);
    }
    Some(Schema::Object(scalar))
}
