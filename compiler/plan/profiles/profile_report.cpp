#include "plan/profiles/profile_report.h"

#include "cost/reports/report.h"
#include "cost/reports/text_lines.h"
#include "support/json.h"
#include "support/whole.h"

#include <cstdio>

namespace planc::plan {

namespace {

using cost::human_seconds;
using cost::ProfileLayer;
using cost::ProfileTerm;

std::string ratio(Seconds a, Seconds b) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.2f x", b.value > 0 ? a / b : 1.0);
    return buffer;
}

std::string head(const Request &request, const ProfilePlan &plan) {
    const cost::ProfileTable &table = plan.table;
    return std::to_string(table.mesh.ranks()) + " ranks (" + cost::mesh_words(table.axes, table.mesh) +
           ") of machine " + request.machine.name + " by profile " + cost::name(table.profile) + ": " +
           human_seconds(table.step) + " a step\n";
}

std::string counted(const ProfilePlan &plan) {
    std::string text;
    for (const std::string &line : cost::assumptions(plan.table.profile))
        text += "  " + line + "\n";
    return text;
}

std::string totals(const ProfilePlan &plan) {
    const cost::ProfileTable &table = plan.table;
    const Seconds sum = table.compute + table.communication;
    std::string text = "step: ";
    if (table.compute.value > 0)
        text += human_seconds(table.compute) + " compute + ";
    text += human_seconds(table.communication) + " communication";
    if (table.compute.value > 0)
        text += " = " + human_seconds(sum);
    if (table.step < sum)
        text += ", with overlap " + human_seconds(table.step);
    text += "\n";
    for (const ProfileTerm &term : table.variants)
        text += term.what + ": " + human_seconds(term.seconds) + "\n";
    if (plan.pure_batch && table.profile != cost::Profile::castello19 && table.mesh.ranks() > 1)
        text +=
            "pure batch: " + human_seconds(*plan.pure_batch) + " a step, " + ratio(*plan.pure_batch, table.step) + "\n";
    return text;
}

std::string layer_name(const Request &request, const ProfileLayer &row) {
    return request.graph.layers[row.layer].name;
}

void add(cost::Lines &lines, const ProfileTerm &term, bool formulas) {
    lines.row({"  " + term.what, sharding::name(term.phase), term.compute ? "" : std::to_string(term.ranks),
               term.compute ? "" : cost::grouped(term.wire.value), term.compute ? "" : cost::grouped(term.messages),
               human_seconds(term.seconds)});
    if (formulas)
        lines.free("      = " + term.formula);
}

class Json {
  public:
    Json(const Request &request, const ProfilePlan &plan, const std::string &network)
        : request_(request), plan_(plan), table_(plan.table), network_(network) {}

    std::string make() {
        json_.begin_object().member("network", network_).member("profile", cost::name(table_.profile));
        json_.member("ranks", table_.mesh.ranks()).key("mesh");
        add_mesh(table_.axes, table_.mesh);
        json_.member("machine", request_.machine.name).member("seconds", table_.step.value);
        json_.member("compute_seconds", table_.compute.value);
        json_.member("communication_seconds", table_.communication.value);
        if (plan_.pure_batch)
            json_.member("pure_batch_seconds", plan_.pure_batch->value);
        json_.key("assumptions").begin_array();
        for (const std::string &line : cost::assumptions(table_.profile))
            json_.value(line);
        json_.end_array().key("layers").begin_array();
        for (std::size_t i = 0; i < table_.layers.size(); ++i)
            add(table_.layers[i], plan_.words[i]);
        json_.end_array().key("variants");
        add(table_.variants);
        json_.key("meshes").begin_array();
        for (const ProfileMesh &mesh : plan_.meshes)
            add(mesh);
        return json_.end_array().end_object().text();
    }

  private:
    void add_mesh(const std::vector<std::string> &axes, const Mesh &mesh) {
        json_.begin_object();
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            json_.member(axes[axis], mesh.sizes[axis]);
        json_.end_object();
    }

    void add(const ProfileLayer &row, const std::string &words) {
        json_.begin_object().member("name", layer_name(request_, row)).member("words", words);
        json_.member("parameters", support::whole(row.parameters));
        json_.member("compute_seconds", row.compute().value);
        json_.member("communication_seconds", row.communication().value).key("terms");
        add(row.terms);
        json_.end_object();
    }

    void add(const std::vector<ProfileTerm> &terms) {
        json_.begin_array();
        for (const ProfileTerm &term : terms) {
            json_.begin_object().member("what", term.what).member("phase", sharding::name(term.phase));
            json_.member("seconds", term.seconds.value);
            if (!term.compute)
                json_.member("ranks", term.ranks)
                    .member("wire_messages", term.messages)
                    .member("wire_bytes", term.wire.value);
            json_.member("formula", term.formula).end_object();
        }
        json_.end_array();
    }

    void add(const ProfileMesh &mesh) {
        json_.begin_object().key("mesh");
        add_mesh(mesh.axes, mesh.mesh);
        if (mesh.unsupported.empty())
            json_.member("seconds", mesh.seconds.value);
        else
            json_.member("unsupported", mesh.unsupported);
        json_.end_object();
    }

    const Request &request_;
    const ProfilePlan &plan_;
    const cost::ProfileTable &table_;
    const std::string &network_;
    support::JsonWriter json_;
};

} // namespace

std::string text_report(const Request &request, const ProfilePlan &plan, const std::string &network, bool formulas) {
    cost::Lines lines;
    lines.row({"", "phase", "ranks", "bytes", "messages", "time"});
    for (std::size_t i = 0; i < plan.table.layers.size(); ++i) {
        const ProfileLayer &row = plan.table.layers[i];
        lines.free(layer_name(request, row) + ": " + plan.words[i]);
        for (const ProfileTerm &term : row.terms)
            add(lines, term, formulas);
        lines.row({"  total", "", "", "", "", human_seconds(row.compute() + row.communication())});
    }
    std::string variants;
    if (formulas)
        for (const ProfileTerm &term : plan.table.variants)
            variants += "  " + term.what + " = " + term.formula + "\n";
    return network + " on " + head(request, plan) + counted(plan) + "\n" + lines.text(2) + "\n" + totals(plan) +
           variants;
}

std::string json_report(const Request &request, const ProfilePlan &plan, const std::string &network) {
    return Json(request, plan, network).make();
}

std::string csv_report(const Request &request, const ProfilePlan &plan) {
    std::string text = "profile,layer,term,phase,ranks,bytes,messages,seconds\n";
    const std::string profile = cost::name(plan.table.profile);
    const auto add = [&](const std::string &layer, const ProfileTerm &term) {
        text += profile + "," + layer + "," + term.what + "," + sharding::name(term.phase) + "," +
                std::to_string(term.ranks) + "," + support::json_number(term.wire.value) + "," +
                support::json_number(term.messages) + "," + support::json_number(term.seconds.value) + "\n";
    };
    for (const ProfileLayer &row : plan.table.layers)
        for (const ProfileTerm &term : row.terms)
            add(layer_name(request, row), term);
    for (const ProfileTerm &term : plan.table.variants)
        add("-", term);
    return text + profile + ",total,-,-," + std::to_string(plan.table.mesh.ranks()) + ",-,-," +
           support::json_number(plan.table.step.value) + "\n";
}

std::string explain(const Request &request, const ProfilePlan &plan) {
    cost::Lines layers;
    layers.row({"layer", "split", "compute", "communication"});
    for (std::size_t i = 0; i < plan.table.layers.size(); ++i) {
        const ProfileLayer &row = plan.table.layers[i];
        layers.row({layer_name(request, row), plan.words[i], human_seconds(row.compute()),
                    human_seconds(row.communication())});
    }
    cost::Lines meshes;
    meshes.row({"mesh", "time", ""});
    for (const ProfileMesh &mesh : plan.meshes)
        meshes.row({"  " + cost::mesh_words(mesh.axes, mesh.mesh),
                    mesh.unsupported.empty() ? human_seconds(mesh.seconds) : "-",
                    mesh.unsupported.empty() ? ratio(mesh.seconds, plan.table.step) : mesh.unsupported});
    return "plan for " + head(request, plan) + counted(plan) + "\n" + layers.text(2) + "\n" + meshes.text(1) + "\n" +
           totals(plan);
}

} // namespace planc::plan
